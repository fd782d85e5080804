/** The life of a namespace. */
import { expect, test } from "vitest";
import { eventually, type Given } from "./given.ts";
import { said } from "./wire.ts";

export function namespaces(given: Given): void {
  const own = () => `/api/v1/namespaces/${given.namespace}`;
  const merge = "application/merge-patch+json";

  test("is made with its label, its finalizer and its phase", async () => {
    const { body } = await given.ask("GET", own());
    expect(body).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": given.namespace } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  });

  test("its label comes back whatever is done to it", async () => {
    const body = { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } };
    const { body: changed } = await given.ask("PATCH", own(), { body, type: merge });
    expect(changed.metadata.labels["kubernetes.io/metadata.name"]).toBe(given.namespace);
  });

  test("gets a service account and the root certificates", async () => {
    await eventually(async () => expect((await given.ask("GET", `${own()}/serviceaccounts/default`)).code).toBe(200));
    await eventually(async () => {
      const { body } = await given.ask("GET", `${own()}/configmaps/kube-root-ca.crt`);
      expect(body.data["ca.crt"]).toContain("BEGIN CERTIFICATE");
    });
  });

  test("on its way out it says so, takes nothing new, and waits for what is held", async () => {
    const finalizers = ["berg.test/hold"];
    await given.ask("POST", `${own()}/configmaps`, { body: { metadata: { name: "held", finalizers } } });
    const { code, body: leaving } = await given.ask("DELETE", own());
    expect(code).toBe(200);
    expect(leaving).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
    const late = await given.ask("POST", `${own()}/configmaps`, { body: { metadata: { name: "late" } } });
    expect(said(late)).toMatchObject({
      code: 403,
      reason: "Forbidden",
      causes: ["metadata.namespace: NamespaceTerminating"],
    });
    expect(late.body.message).toBe(
      `configmaps "late" is forbidden: unable to create new content in namespace ${given.namespace} because it is being terminated`,
    );
    await eventually(async () => {
      const { conditions = [] } = (await given.ask("GET", own())).body.status;
      const remaining = conditions.find(({ type }: { type: string }) => type === "NamespaceFinalizersRemaining");
      expect(remaining).toMatchObject({ status: "True", reason: "SomeFinalizersRemain" });
      expect(remaining.message).toBe(
        "Some content in the namespace has finalizers remaining: berg.test/hold in 1 resource instances",
      );
    });
    expect(
      (await given.ask("PATCH", `${own()}/configmaps/held`, { body: { metadata: { finalizers: null } }, type: merge }))
        .code,
    ).toBe(200);
    await eventually(async () => expect((await given.ask("GET", own())).code).toBe(404));
  });

  test("its finalizers are given up at a place of their own", async () => {
    const path = `/api/v1/namespaces/${given.namespace}-two`;
    const spec = { finalizers: ["berg.test/ours"] };
    const made = await given.ask("POST", "/api/v1/namespaces", {
      body: { metadata: { name: `${given.namespace}-two` }, spec },
    });
    expect(made.body.spec.finalizers).toEqual(["berg.test/ours", "kubernetes"]);
    await given.ask("DELETE", path);
    await eventually(async () =>
      expect((await given.ask("GET", path)).body.spec.finalizers).toEqual(["berg.test/ours"]),
    );
    const { body } = await given.ask("GET", path);
    const done = await given.ask("PUT", `${path}/finalize`, { body: { ...body, spec: {} } });
    expect(done.code).toBe(200);
    await eventually(async () => expect((await given.ask("GET", path)).code).toBe(404));
  });

  test("some cannot be deleted", async () => {
    const answer = await given.ask("DELETE", "/api/v1/namespaces/default");
    expect(said(answer)).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
    });
  });

  test("its name is a label, and it is made where it was not", async () => {
    const answer = await given.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "a.b" } } });
    expect(said(answer)).toMatchObject({ code: 422, causes: ["metadata.name: FieldValueInvalid"] });
    const nowhere = await given.ask("POST", "/api/v1/namespaces/nowhere/configmaps", {
      body: { metadata: { name: "one" } },
    });
    expect(said(nowhere)).toMatchObject({ code: 404, reason: "NotFound", message: 'namespaces "nowhere" not found' });
  });
}
