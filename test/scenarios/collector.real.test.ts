/** A garbage collector that never comes, as one does that has a thousand other instances to take apart first. */
import { ChallengeInstances } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { isRunning } from "./seeing.ts";
import { startWorld } from "./world.ts";

const controllerManagerFlags = ["--controllers=*,-garbage-collector-controller"];

describe.skipIf(await missingControlPlane())("on real Kubernetes without its garbage collector", () => {
  test("pods are stopped by the controller, and none is made for those that it deletes", async () => {
    await using world = await startWorld({
      controlPlane: () => startControlPlane({ scheduler: false, controllerManagerFlags }),
    });
    await world.startController();
    const challenge = await world.challenge().container("web").container("db").create();
    const instance = await world.instance(challenge).create();
    await world.until(instance, isRunning);
    await world.client.delete(ChallengeInstances, world.namespace, instance.metadata.name);
    await world.untilGone(instance);
    await world.check();

    const pods = world.followed.changes.filter(({ type, object }) => type === "added" && object.kind === "Pod");
    const deleted = world.writes().flatMap(({ method, resource }) => (method === "DELETE" ? resource : []));
    expect([pods.length, deleted.sort()]).toEqual([
      2,
      ["deployments", "deployments", "namespaces", "pods", "pods", "replicasets", "replicasets"],
    ]);
  });
});
