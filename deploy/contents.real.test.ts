/**
 * What the controller's account may put into an instance: all that the builders make, and nothing with which whoever has
 * stolen its token would be root on a node.
 */
import { isInvalid, StatusError, type Stored } from "@berg/apimachinery";
import { type Client, ControllerRevisions } from "@berg/kube";
import { type Challenge, ChallengeInstances, fieldManagers, finalizers, readStoredChallenge } from "@berg/resources";
import { installForeignCrds, missingControlPlane, missingForeignCrds } from "@berg/test";
import { challengeArbitrary, flagArbitrary } from "@berg/test/arbitraries";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addresses } from "../packages/instances/src/builders/addresses.ts";
import type { Blueprint, Child } from "../packages/instances/src/builders/blueprint.ts";
import { endpointEnv } from "../packages/instances/src/builders/endpoints.ts";
import { foundation } from "../packages/instances/src/builders/foundation.ts";
import { namespaceChild } from "../packages/instances/src/builders/namespace.ts";
import { cases as networkCases } from "../packages/instances/src/builders/network-policy/testing/cases.ts";
import { revisionOf, workloadOf } from "../packages/instances/src/builders/revision.ts";
import * as blueprints from "../packages/instances/src/builders/testing/blueprints.ts";
import { workloadCases } from "../packages/instances/src/builders/testing/workload-cases.ts";
import { workloads } from "../packages/instances/src/builders/workloads.ts";
import { instanceProblems } from "../packages/instances/src/lint/instance-problems.ts";
import { type Installed, installed } from "./testing/installed.ts";
import { tooMuch } from "./testing/too-much.ts";

const { blueprintOf, containerOf, everyPortType, routeTypes } = blueprints;
const fieldManager = fieldManagers.controller;
const pullSecret = { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "e30=" } };

const cases: Record<string, Blueprint> = {
  ...workloadCases,
  ...networkCases,
  "every type of port": blueprintOf({ containers: everyPortType() }),
  "headless Services": blueprintOf({
    containers: [containerOf("web", [{ port: 80 }]), containerOf("worker")],
    settings: { headlessService: true },
  }),
};

describe.skipIf((await missingControlPlane()) || (await missingForeignCrds()))("in an instance", () => {
  let cluster: Installed;
  let controller: Client;

  beforeAll(async () => {
    cluster = await installed();
    ({ controller } = cluster);
    await installForeignCrds(cluster.admin);
    await cluster.controlPlane.kubectl(["apply", "-k", `${import.meta.dirname}/secrets`]);
    await create(namespaceChild(blueprintOf()));
    const canWriteSecrets = () => expect(refusals(workloadCases["flag-in-secrets"] as Blueprint)).resolves.toEqual([]);
    await vi.waitFor(canWriteSecrets, { timeout: 30_000, interval: 100 });
  });

  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const create = ({ type, manifest }: Child, dryRun = false) =>
    controller.create(type, manifest, { fieldManager, fieldValidation: "Strict", dryRun });
  const apply = ({ type, manifest }: Child, dryRun = false) =>
    controller.apply(type, manifest, { fieldManager, force: true, dryRun });

  /** What the server says against what the builders make of it. */
  async function refusals(blueprint: Blueprint): Promise<string[]> {
    const { instance, challenge, workload, settings } = blueprint;
    const another = { ...instance, ownerId: "0190b5a4-7c1e-7d3a-8f00-0123456789ab" };
    const revision = revisionOf(challenge, workload, settings);
    const children: Child[] = [
      namespaceChild({ ...blueprint, instance: another }),
      { type: ControllerRevisions, manifest: { ...revision, metadata: { ...revision.metadata, namespace: "berg" } } },
      ...foundation(blueprint, settings.pullSecretName === "" ? undefined : pullSecret),
      ...workloads(blueprint, endpointEnv(blueprint)),
      ...addresses(blueprint, routeTypes),
    ];
    const answers = await Promise.all(children.map((child) => refusal(create(child, true))));
    return answers.flat();
  }

  describe("the controller may make", () => {
    test.each(Object.entries(cases))("%s", async (_, blueprint) => {
      expect(await refusals(blueprint)).toEqual([]);
    });

    test("whatever a Challenge asks for that lint lets through", async () => {
      let made = 0;
      await fc.assert(
        fc.asyncProperty(challengeArbitrary(), flagArbitrary(), fc.boolean(), async (challenge, flag, isSecret) => {
          const blueprint = blueprintOf({
            challengeName: challenge.metadata.name,
            settings: { flagStorage: isSecret ? "Secret" : "ConfigMap", headlessService: isSecret },
          });
          const read = readStoredChallenge(challenge as Stored<Challenge>);
          if (instanceProblems(read, blueprint.settings).length > 0) return;
          const instance = { ...blueprint.instance, flag };
          expect(await refusals({ ...blueprint, instance, workload: workloadOf(read.challenge.spec) })).toEqual([]);
          made++;
        }),
        { numRuns: 100 },
      );
      expect(made).toBeGreaterThan(50);
    });

    test("the finalizer and the end of a ChallengeInstance, and not its spec", async () => {
      const spec = { ownerId: blueprints.ownerId, challengeRef: { name: "cookie-jar" }, renewals: 0, restarts: 0 };
      await cluster.admin.create(ChallengeInstances, { metadata: { namespace: "berg", name: "ada" }, spec });
      const patch = (body: object) =>
        controller.patch(ChallengeInstances, "berg", "ada", { type: "merge", body }, { fieldManager });
      await patch({ metadata: { finalizers: [finalizers.controller] } });
      expect(await refusal(patch({ spec: { renewals: 1 } }))).toEqual([
        expect.stringContaining("the spec of a ChallengeInstance is written by whoever asks for it"),
      ]);
      await patch({ metadata: { finalizers: null } });
    });

    test("again what somebody has marked for purposes of their own", async () => {
      const namespace = namespaceChild(blueprintOf());
      const theirs = { metadata: { labels: { team: "blue" } } };
      await cluster.admin.patch(namespace.type, "", namespace.manifest.metadata.name, { type: "merge", body: theirs });
      await apply(namespace);
    });
  });

  describe("the controller may not make", () => {
    beforeAll(async () => {
      for (const before of new Set(Object.values(tooMuch).map((each) => each.before))) await apply(before);
    });

    test.each(Object.entries(tooMuch))("%s", async (_, { after, wantReason }) => {
      const { type, manifest } = after;
      const anew = { type, manifest: { ...manifest, metadata: { ...manifest.metadata, name: "challenge-anew" } } };
      const refused = [expect.stringContaining(wantReason)];
      expect(await refusal(create(anew, true))).toEqual(refused);
      expect(await refusal(apply(after, true))).toEqual(refused);
    });
  });
});

/** In the policy's words; whoever else refuses shows nothing about it. */
async function refusal(attempt: Promise<unknown>): Promise<string[]> {
  try {
    await attempt;
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [
      isInvalid(error) && /berg-controller-contents/.test(error.message) ? error.message : `other: ${error.message}`,
    ];
  }
}
