/** Whatever an author writes is either refused by lint, with a reason, or taken by a real server as it is. */
import { StatusError, type Stored } from "@berg/apimachinery";
import { type Client, createClient, type Deployment, Namespaces, Pods, ServiceAccounts, unlimited } from "@berg/kube";
import { type Challenge, fieldManagers, readStoredChallenge, validateChallenge } from "@berg/resources";
import {
  type ControlPlane,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  startControlPlane,
} from "@berg/test";
import {
  admittedChallengeArbitrary,
  challengeArbitrary,
  flagArbitrary,
  wildChallengeArbitrary,
} from "@berg/test/arbitraries";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instanceProblems } from "../lint/instance-problems.ts";
import { formatProblem } from "../lint/problem.ts";
import type { BuildSettings } from "../settings/settings.ts";
import { addresses } from "./addresses.ts";
import type { Blueprint, Child, Manifest } from "./blueprint.ts";
import { endpointEnv } from "./endpoints.ts";
import { foundation } from "./foundation.ts";
import { namespaceChild, needsPrivileged, podSecurityLabel } from "./namespace.ts";
import { revisionOf, workloadOf } from "./revision.ts";
import { blueprintOf, routeTypes } from "./testing/blueprints.ts";
import { workloads } from "./workloads.ts";

const settings: fc.Arbitrary<Partial<BuildSettings>> = fc.record({
  network: fc.record({
    policy: fc.constantFrom("cilium", "kubernetes", "both", "none"),
    denyCidrs: fc.constantFrom([], ["10.0.0.0/8", "fc00::/7"]),
  }),
  headlessService: fc.boolean(),
  flagStorage: fc.constantFrom("ConfigMap", "Secret"),
  disruption: fc.constantFrom("protect", "allow"),
  pullSecretName: fc.constantFrom("", "registry"),
});

type Container = Record<string, unknown>;

const wildContainer: fc.Arbitrary<Container> = admittedChallengeArbitrary()
  .map(({ manifest }) => (manifest.spec as { containers?: Container[] }).containers?.[0] ?? {})
  .filter((container) => Object.keys(container).length > 0);

/** A Challenge that makes sense, but for a field or two of its first container, which are as somebody may write them. */
const oddChallenge: fc.Arbitrary<Challenge> = fc
  .record({ sensible: challengeArbitrary(), wild: wildContainer })
  .chain(({ sensible, wild }) =>
    fc.subarray(Object.entries(wild), { minLength: 1, maxLength: 2 }).map((odd) => {
      const [first, ...others] = sensible.spec.containers;
      const containers = [{ ...first, ...Object.fromEntries(odd) }, ...others];
      return validateChallenge({ ...sensible, spec: { ...sensible.spec, containers } }).object ?? sensible;
    }),
  );

const pullSecret = { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "e30=" } };
const levels = ["baseline", "privileged"];

describe.skipIf((await missingControlPlane()) || (await missingForeignCrds()))("on a real server", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await installForeignCrds(client);
    for (const level of levels) {
      await client.create(Namespaces, { metadata: { name: level, labels: { [podSecurityLabel]: level } } });
      await client.create(ServiceAccounts, { metadata: { namespace: level, name: "default" } });
    }
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  /** What the server says against the child, if anything; it keeps nothing. */
  async function refused({ type, manifest }: Child): Promise<string[]> {
    const options = { dryRun: true, fieldManager: fieldManagers.controller, fieldValidation: "Strict" } as const;
    try {
      await client.create(type, manifest, options);
      return [];
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return [`${type.kind} ${manifest.metadata.name}: ${error.message}`];
    }
  }

  /** In a namespace that is there, and with the pods that the cluster will be asked for. */
  function childrenOf(blueprint: Blueprint): Child[] {
    const namespace = needsPrivileged(blueprint.workload) ? "privileged" : "baseline";
    const secret = blueprint.settings.pullSecretName === "" ? undefined : pullSecret;
    const made = [
      ...foundation(blueprint, secret),
      ...workloads(blueprint, endpointEnv(blueprint)),
      ...addresses(blueprint, routeTypes),
    ];
    const moved = made.map(({ type, manifest }) => ({
      type,
      manifest: { ...manifest, metadata: { ...manifest.metadata, namespace } },
    }));
    return [namespaceChild(blueprint), ...moved, ...moved.flatMap(podOf)];
  }

  function podOf({ type, manifest }: Child): Child[] {
    if (type.kind !== "Deployment") return [];
    const { metadata, spec } = (manifest as Manifest<Deployment>).spec?.template ?? {};
    // Which ones there are is the organiser's matter.
    const { runtimeClassName: _, ...rest } = spec ?? {};
    const { namespace, name } = manifest.metadata as { namespace: string; name: string };
    return [
      { type: Pods, manifest: { metadata: { ...metadata, namespace, name }, spec: rest } as Manifest<Deployment> },
    ];
  }

  async function judge(given: Challenge, flag: string, wishes: Partial<BuildSettings>): Promise<string[]> {
    const read = readStoredChallenge(given as Stored<Challenge>);
    const { challenge } = read;
    const blueprint = blueprintOf({ challengeName: challenge.metadata.name, settings: wishes });
    const problems = instanceProblems(read, blueprint.settings);
    if (problems.length > 0) return problems.map((problem) => `lint: ${formatProblem(problem)}`);
    const workload = workloadOf(challenge.spec);
    const whole = { ...blueprint, workload, instance: { ...blueprint.instance, flag } };
    const revision = revisionOf(whole.challenge, workload, whole.settings);
    expect(revision.metadata.name).toMatch(/^[a-z0-9.-]+$/);
    const answers = await Promise.all(childrenOf(whole).map(refused));
    return answers.flat();
  }

  test("a Challenge that makes sense is taken as it is", async () => {
    await fc.assert(
      fc.asyncProperty(challengeArbitrary(), flagArbitrary(), settings, async (challenge, flag, wishes) => {
        expect(await judge(challenge, flag, wishes)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test("one with a few odd fields is taken, or refused by lint before anything is made", async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(oddChallenge, flagArbitrary(), settings, async (challenge, flag, wishes) => {
        const answers = await judge(challenge, flag, wishes);
        if (answers.length === 0) taken++;
        expect(answers.filter((answer) => !answer.startsWith("lint: "))).toEqual([]);
      }),
      { numRuns: 200 },
    );
    // Else lint would refuse everything, and nothing be shown.
    expect(taken).toBeGreaterThan(20);
  });

  test("a wild one is judged too", async () => {
    await fc.assert(
      fc.asyncProperty(wildChallengeArbitrary(), flagArbitrary(), settings, async ({ manifest }, flag, wishes) => {
        const { object } = validateChallenge(manifest);
        const answers = object ? await judge(object, flag, wishes) : [];
        expect(answers.filter((answer) => !answer.startsWith("lint: "))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
