/** Kinds that are little more than data, each with rules of its own. */
import { expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

const merge = "application/merge-patch+json";

export function smallKinds(given: Given): void {
  const at = (resource: string, group = "/api/v1") => `${group}/namespaces/${given.namespace}/${resource}`;
  const post = (resource: string, body: object, group?: string) => given.ask("POST", at(resource, group), { body });
  const patch = (path: string, body: object) => given.ask("PATCH", path, { body, type: merge });

  test("a secret's texts become bytes, over those that were there, and are not shown", async () => {
    const body = { metadata: { name: "one" }, data: { a: "b2xk", b: "a2VwdA==" }, stringData: { a: "new" } };
    const { body: made } = await post("secrets", body);
    expect(made).toMatchObject({ type: "Opaque", data: { a: "bmV3", b: "a2VwdA==" } });
    expect(made.stringData).toBeUndefined();
    const { body: changed } = await patch(`${at("secrets")}/one`, { stringData: { c: "x" } });
    expect(changed.data).toEqual({ a: "bmV3", b: "a2VwdA==", c: "eA==" });
  });

  test("a secret's data is base64, and its keys are names of files", async () => {
    expect(said(await post("secrets", { metadata: { name: "one" }, data: { a: "%" } }))).toMatchObject({
      code: 400,
      reason: "BadRequest",
    });
    const keys = await post("secrets", { metadata: { name: "one" }, data: { "a b": "" } });
    expect(said(keys)).toMatchObject({ code: 422, causes: ["data[a b]: FieldValueInvalid"] });
  });

  test("a secret's type stays, and asks for its keys", async () => {
    await post("secrets", { metadata: { name: "one" } });
    const changed = await patch(`${at("secrets")}/one`, { type: "berg.test/other" });
    expect(said(changed)).toMatchObject({ code: 422, causes: ["type: FieldValueInvalid"] });
    expect(changed.body.message).toContain('type: Invalid value: "berg.test/other": field is immutable');
    const tls = await post("secrets", { metadata: { name: "two" }, type: "kubernetes.io/tls" });
    expect(said(tls)).toMatchObject({
      code: 422,
      causes: ["data[tls.crt]: FieldValueRequired", "data[tls.key]: FieldValueRequired"],
    });
  });

  test.each(["secrets", "configmaps"])("what is immutable in %s stays so", async (resource) => {
    await post(resource, { metadata: { name: "one" }, immutable: true, data: { a: "eA==" } });
    const path = `${at(resource)}/one`;
    const data = await patch(path, { data: { a: "eQ==" } });
    expect(said(data)).toMatchObject({ code: 422, reason: "Invalid", causes: ["data: FieldValueForbidden"] });
    expect(data.body.message).toContain("data: Forbidden: field is immutable when `immutable` is set");
    expect(said(await patch(path, { immutable: false })).causes).toEqual(["immutable: FieldValueForbidden"]);
    expect((await patch(path, { metadata: { labels: { a: "b" } } })).code).toBe(200);
  });

  test("a key is text or bytes, not both", async () => {
    const answer = await post("configmaps", { metadata: { name: "one" }, data: { a: "1" }, binaryData: { a: "eA==" } });
    expect(said(answer)).toMatchObject({ code: 422 });
    expect(answer.body.message).toContain("duplicate of key present in binaryData");
  });

  test("an event is the same in both groups", async () => {
    const involvedObject = { kind: "Pod", namespace: given.namespace, name: "x" };
    await post("events", {
      metadata: { name: "one" },
      involvedObject,
      reason: "Ran",
      message: "it did",
      type: "Normal",
      count: 2,
    });
    const { body: fresh } = await given.ask("GET", `${at("events", "/apis/events.k8s.io/v1")}/one`);
    expect(fresh).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: involvedObject,
      reason: "Ran",
      note: "it did",
      deprecatedCount: 2,
    });
    const event = {
      metadata: { name: "two" },
      eventTime: "2020-01-01T00:00:00.000000Z",
      regarding: involvedObject,
      ...{ reason: "Ran", note: "again", type: "Warning", action: "Run" },
      ...{ reportingController: "berg.test/c", reportingInstance: "c-1" },
    };
    expect((await post("events", event, "/apis/events.k8s.io/v1")).code).toBe(201);
    const { body: old } = await given.ask("GET", `${at("events")}/two`);
    expect(old).toMatchObject({
      apiVersion: "v1",
      involvedObject,
      message: "again",
      reportingComponent: "berg.test/c",
      action: "Run",
    });
  });

  test("an event of the new group must say more than one of the old", async () => {
    const regarding = { kind: "Pod", namespace: given.namespace, name: "x" };
    const answer = await post(
      "events",
      { metadata: { name: "one" }, regarding, eventTime: "2020-01-01T00:00:00.000000Z" },
      "/apis/events.k8s.io/v1",
    );
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(said(answer).causes).toContain("reportingController: FieldValueRequired");
    const elsewhere = { kind: "Pod", namespace: "elsewhere", name: "x" };
    expect(said(await post("events", { metadata: { name: "one" }, involvedObject: elsewhere })).causes).toEqual([
      "involvedObject.namespace: FieldValueInvalid",
    ]);
  });

  test("events are selected by what they are about", async () => {
    for (const name of ["x", "y"]) {
      await post("events", {
        metadata: { name },
        involvedObject: { kind: "Pod", namespace: given.namespace, name },
        reason: "Ran",
      });
    }
    const { body } = await given.ask("GET", `${at("events")}?fieldSelector=involvedObject.name%3Dy,reason%3DRan`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["y"]);
  });

  test("a lease keeps its microseconds, and refuses what makes no sense", async () => {
    const group = "/apis/coordination.k8s.io/v1";
    const spec = { holderIdentity: "a", leaseDurationSeconds: 15, renewTime: "2020-01-01T00:00:00.123456Z" };
    const { body } = await post("leases", { metadata: { name: "one" }, spec }, group);
    expect(body.spec).toEqual(spec);
    const odd = await post(
      "leases",
      { metadata: { name: "two" }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      group,
    );
    expect(said(odd)).toMatchObject({
      code: 422,
      causes: ["spec.leaseDurationSeconds: FieldValueInvalid", "spec.leaseTransitions: FieldValueInvalid"],
    });
  });

  test("a policy of networks is filled in and checked", async () => {
    const group = "/apis/networking.k8s.io/v1";
    const { body } = await post(
      "networkpolicies",
      { metadata: { name: "one" }, spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
      group,
    );
    expect(body.spec).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      egress: [{ ports: [{ port: 53, protocol: "TCP" }] }],
    });
    const from = [{ ipBlock: { cidr: "10.0.0.0/99" } }];
    const odd = await post(
      "networkpolicies",
      { metadata: { name: "two" }, spec: { podSelector: {}, ingress: [{ from }] } },
      group,
    );
    expect(said(odd)).toMatchObject({ code: 422, causes: ["spec.ingress[0].from[0].ipBlock.cidr: FieldValueInvalid"] });
  });

  test("a deployment is filled in, and its selector stays", async () => {
    const group = "/apis/apps/v1";
    const labels = { app: "x" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
    const { body } = await post(
      "deployments",
      { metadata: { name: "one" }, spec: { replicas: 0, selector: { matchLabels: labels }, template } },
      group,
    );
    expect(body.spec).toMatchObject({
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: {
        spec: {
          containers: [
            {
              imagePullPolicy: "Always",
              terminationMessagePath: "/dev/termination-log",
              terminationMessagePolicy: "File",
              resources: {},
            },
          ],
          ...{
            restartPolicy: "Always",
            dnsPolicy: "ClusterFirst",
            schedulerName: "default-scheduler",
            terminationGracePeriodSeconds: 30,
          },
        },
      },
    });
    const other = { app: "y" };
    const moved = await patch(`${at("deployments", group)}/one`, {
      spec: { selector: { matchLabels: other }, template: { metadata: { labels: other } } },
    });
    expect(said(moved)).toMatchObject({ code: 422, causes: ["spec.selector: FieldValueInvalid"] });
    const unlike = await post(
      "deployments",
      { metadata: { name: "two" }, spec: { selector: { matchLabels: other }, template } },
      group,
    );
    expect(said(unlike)).toMatchObject({ code: 422, causes: ["spec.template.metadata.labels: FieldValueInvalid"] });
    expect(unlike.body.message).toContain("`selector` does not match template `labels`");
  });
}
