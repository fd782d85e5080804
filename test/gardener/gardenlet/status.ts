/** Parts of a Shoot's status, as gardenlet writes them. */
import type { OperationType, TestShoot, TestShootStatus } from "../kinds.ts";
import type { Scene } from "./course.ts";

type LastOperation = NonNullable<TestShootStatus["lastOperation"]>;

export function sceneStatus(type: OperationType, scene: Scene, now: string): TestShootStatus {
  const { state, progress, description, errors = [] } = scene;
  const lastOperation: LastOperation = { type, state, progress, description, lastUpdateTime: now };
  return { lastOperation, lastErrors: errors.map((error) => ({ ...error, lastUpdateTime: now })) };
}

export function addressStatus(url: string): TestShootStatus {
  return {
    advertisedAddresses: [
      { name: "external", url },
      { name: "internal", url },
      // No address of the API server, though it looks like one.
      { name: "service-account-issuer", url: `${url}/issuer` },
    ],
  };
}

/** What never changes once it is written. Gardener has an empty text there until then. */
export function identityStatus(project: string, shoot: TestShoot): TestShootStatus {
  const name = shoot.metadata.name ?? "";
  return {
    technicalID: shoot.status?.technicalID || `shoot--${project}--${name}`,
    uid: shoot.status?.uid || (shoot.metadata.uid ?? ""),
  };
}

export function successStatus(project: string, shoot: TestShoot): TestShootStatus {
  return {
    hibernated: shoot.spec.hibernation?.enabled === true,
    seedName: "seed",
    clusterIdentity: shoot.status?.clusterIdentity || `shoot--${project}--${shoot.metadata.name}-identity`,
    gardener: { id: "gardenlet", name: "gardenlet", version: "v1.139.0" },
  };
}
