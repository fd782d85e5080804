/** The cases, put to a real API server: what our tests rely on is what it says. */
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, RealServer } from "../../kinds/workloads/testing/real-server.ts";
import { badLabels, cases, deploymentOf, labelled, podOf } from "./testing/cases.ts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a server of another make says
type Said = any;

describe.skipIf(await missingControlPlane())("pod security on a real API server", () => {
  let server: RealServer;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer & { body: Said }> =>
    server.ask(method, path, body);
  beforeAll(async () => {
    server = await RealServer.start("PodSecurity");
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  test.each(cases.map((one, i) => ({ ...one, i })))("case $i: $labels $violation", async (one) => {
    const ns = `ns-${one.i}`;
    expect(
      (await ask("POST", "/api/v1/namespaces", { metadata: { name: ns, labels: labelled(one.labels) } })).code,
    ).toBe(201);
    const { code, body } = await ask("POST", `/api/v1/namespaces/${ns}/pods?dryRun=All`, podOf(one));
    if (one.violation === undefined || one.annotations) expect([code, body.message]).toEqual([201, undefined]);
    else {
      const message = `pods "p" is forbidden: violates PodSecurity ${one.violation}`;
      const details = { name: "p", kind: "pods" };
      expect(body).toMatchObject({ code: 403, reason: "Forbidden", message, details });
    }
    const made = await ask("POST", `/apis/apps/v1/namespaces/${ns}/deployments?dryRun=All`, deploymentOf(one));
    expect(made.code).toBe(201);
    const wanted = one.violation === undefined ? [] : [`would violate PodSecurity ${one.violation}`];
    expect(made.warnings.filter((text) => text.includes("PodSecurity"))).toEqual(wanted);
  });

  test.each(badLabels)("a namespace with labels %j is refused", async (labels, causes) => {
    const { body } = await ask("POST", "/api/v1/namespaces", { metadata: { name: "a", labels: labelled(labels) } });
    expect(body).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: `Namespace "a" is invalid: [${causes.join(", ")}]`,
    });
  });
});
