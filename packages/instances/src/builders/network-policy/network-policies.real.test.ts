/** Every policy is taken as it is: by Cilium's own code, by the CRD that Cilium ships, and by a real API server. */
import { apiVersionOf } from "@berg/apimachinery";
import { type Client, createClient, isAsWanted, Namespaces, unlimited } from "@berg/kube";
import {
  type ControlPlane,
  ciliumVerdicts,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  startControlPlane,
} from "@berg/test";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Blueprint } from "../blueprint.ts";
import { ownerId } from "../testing/blueprints.ts";
import { ciliumNetworkPolicy } from "./cilium.ts";
import { networkPolicies } from "./network-policies.ts";
import { anyNetworkBlueprint, cases, networkBlueprint } from "./testing/cases.ts";

const whole = (blueprint: Blueprint) => {
  const { type, manifest } = ciliumNetworkPolicy(blueprint);
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...manifest };
};

describe.skipIf(await missingForeignCrds())("Cilium's own check", () => {
  // The first verdict may have to wait until the check is built.
  beforeAll(() => ciliumVerdicts([]));

  test("takes every case, with `{}` as the pods of the instance alone", async () => {
    for (const { problem, rules } of await ciliumVerdicts(Object.values(cases).map(whole))) {
      expect(problem).toBeUndefined();
      const own = {
        matchLabels: expect.objectContaining({ "k8s:io.kubernetes.pod.namespace": `challenge-${ownerId}` }),
      };
      expect(rules).toEqual([
        expect.objectContaining({
          endpointSelector: own,
          ingress: expect.arrayContaining([{ fromEndpoints: [own] }]),
          egress: expect.arrayContaining([{ toEndpoints: [own] }]),
        }),
      ]);
    }
  });

  test("takes whatever a Challenge and the settings can ask for", async () => {
    const blueprints = fc.sample(anyNetworkBlueprint, 300);
    const verdicts = await ciliumVerdicts(blueprints.map(whole));
    const refused = verdicts.flatMap(({ problem }, i) => (problem ? [{ problem, policy: blueprints[i] }] : []));
    expect(refused).toEqual([]);
  });

  test("refuses a policy that is wrong, so that the above means something", async () => {
    const policy = whole(networkBlueprint({ outbound: true, denyCidrs: [] }));
    const egress = policy.spec.egress.map((rule) => ({ ...rule, toEntities: ["world"] }));
    const [verdict] = await ciliumVerdicts([{ ...policy, spec: { ...policy.spec, egress } }]);
    expect(verdict?.problem).toContain("combining");
  });
});

const missing = (await missingControlPlane()) ?? (await missingForeignCrds());

describe.skipIf(missing)("a real API server", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await installForeignCrds(client, { which: ["ciliumnetworkpolicies"] });
    await client.create(Namespaces, { metadata: { name: `challenge-${ownerId}` } });
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function takesAsItIs(blueprint: Blueprint) {
    for (const { type, manifest } of networkPolicies(blueprint)) {
      const stored = await client.create(type, manifest, { fieldValidation: "Strict", dryRun: true });
      expect(stored).toMatchObject(manifest);
      expect(isAsWanted(manifest, stored)).toBe(true);
    }
  }

  test.each(Object.entries(cases))("takes and returns as they are: %s", async (_, blueprint) => {
    await takesAsItIs(blueprint);
  });

  test("takes whatever a Challenge and the settings can ask for", async () => {
    await fc.assert(fc.asyncProperty(anyNetworkBlueprint, takesAsItIs), { numRuns: 40 });
  });
});
