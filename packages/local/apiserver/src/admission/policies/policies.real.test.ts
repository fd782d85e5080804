/** The probes, put to a real API server: what our tests rely on is what it says. */
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, RealServer } from "../../kinds/workloads/testing/real-server.ts";
import { rule } from "./testing/given.ts";
import { judged, probedData, refused, specOf } from "./testing/probes.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const probes = judged.map(([probed, denial, code = 422], i) => ({ probed, denial, code, name: `p${i}` }));

// biome-ignore lint/suspicious/noExplicitAny: whatever a server of another make says
type Said = any;

describe.skipIf(await missingControlPlane())("policies on a real API server", () => {
  let server: RealServer;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer & { body: Said }> =>
    server.ask(method, path, body);
  const makePolicy = (name: string, spec: object) => {
    const objectSelector = { matchLabels: { probe: name } };
    const matchConstraints = { objectSelector, resourceRules: [rule("", "configmaps")] };
    return ask("POST", `${group}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints, ...spec },
    });
  };
  const tryConfigMap = (name: string) =>
    ask("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", {
      metadata: { name, labels: { probe: name } },
      data: probedData,
    });

  beforeAll(async () => {
    server = await RealServer.start();
    for (const { name, probed } of [...probes, { name: "last", probed: "false" }]) {
      expect((await makePolicy(name, specOf(probed))).code).toBe(201);
      const spec = { policyName: name, validationActions: ["Deny"] };
      await ask("POST", `${group}/validatingadmissionpolicybindings`, { metadata: { name }, spec });
    }
    const isInForce = async () => expect((await tryConfigMap("last")).code).toBe(422);
    await vi.waitFor(isInForce, { timeout: 30_000, interval: 100 });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(probes)("$probed", async ({ name, denial, code }) => {
    const { code: answered, body } = await tryConfigMap(name);
    expect(answered).toBe(denial === null ? 201 : code);
    if (denial !== null) expect(body.message.split(/ denied request: (.*)/s)[1]).toBe(denial);
  });

  test.each(refused)("%j is no policy", async (probed, problems) => {
    const { code, body } = await makePolicy("refused", specOf(probed));
    expect(code).toBe(422);
    expect(body.details.causes.map(({ field, message }: Said) => `${field}: ${message}`)).toEqual(problems);
  });
});
