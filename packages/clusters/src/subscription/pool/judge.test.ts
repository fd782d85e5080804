import { describe, expect, test } from "vitest";
import { annotations } from "../../vocabulary.ts";
import { makeAccount } from "../testing/accounts.ts";
import { secretOf } from "./account.ts";
import { isToBeHad, judge } from "./judge.ts";

const binding = { uid: "uid-a" };
const own = (labels: Record<string, string> = {}) => makeAccount("a", { labels: { tenantName: "t1", ...labels } });

describe("an account that is bound", () => {
  test.each([
    ["is fine", own(), "t1", "fine"],
    ["is fine though it is shared by now", own({ shared: "true" }), "t1", "fine"],
    ["is dirty", own({ dirty: "true" }), "t1", "dirty"],
    ["is internal", own({ internal: "true" }), "t1", "internal"],
    ["is gone", undefined, "t1", "lost"],
    ["is another one of its name", makeAccount("a", { uid: "other", labels: { tenantName: "t1" } }), "t1", "lost"],
    ["is another tenant's", own({ tenantName: "t2" }), "t1", "lost"],
    ["is nobody's", makeAccount("a"), "t1", "lost"],
    ["is fine where it is shared", makeAccount("a", { labels: { shared: "true" } }), undefined, "fine"],
    ["is lost where it is no longer shared", makeAccount("a"), undefined, "lost"],
  ])("%s", (_, account, tenant, want) => {
    expect(judge(account, binding, tenant).is).toBe(want);
  });
});

describe("an account that is set aside is given out", () => {
  test.each([
    ["where it is fine", own(), "t1", true],
    ["where it is the tenant's internal one", own({ internal: "true" }), "t1", true],
    ["never where it is dirty", own({ dirty: "true" }), "t1", false],
    ["never where it became shared", own({ shared: "true" }), "t1", false],
    ["never where its claim is pending", makePending(), "t1", false],
    ["never where it is of another type", own({ hyperscalerType: "gcp" }), "t1", false],
    ["never where it is gone", undefined, "t1", false],
    ["never where it is another's", own({ tenantName: "t2" }), "t1", false],
    ["where it is shared", makeAccount("a", { labels: { shared: "true" } }), undefined, true],
  ])("%s", (_, account, tenant, want) => {
    const wanted = { provider: "aws", hyperscalerType: "aws", euAccess: false, tenant };
    expect(isToBeHad(account, binding, wanted)).toBe(want);
  });
});

test.each([
  ["Secret", { gardenerSecretName: "a-secret", gardenerSecretNamespace: "garden-ctf" }],
  ["InternalSecret", { gardenerSecretName: "a-secret", gardenerSecretNamespace: "garden-ctf" }],
  ["WorkloadIdentity", {}],
])("credentials in a %s", (kind, want) => {
  const account = makeAccount("a");
  if ("credentialsRef" in account) account.credentialsRef.kind = kind;
  expect(secretOf(account)).toEqual(want);
});

test("credentials of a SecretBinding are beside it unless it says otherwise", () => {
  const { metadata } = makeAccount("a");
  const account = { apiVersion: "core.gardener.cloud/v1beta1", kind: "SecretBinding", metadata };
  expect(secretOf({ ...account, secretRef: { name: "s" } })).toEqual({
    gardenerSecretName: "s",
    gardenerSecretNamespace: "garden-ctf",
  });
  expect(secretOf({ ...account, secretRef: { name: "s", namespace: "other" } })).toMatchObject({
    gardenerSecretNamespace: "other",
  });
});

function makePending() {
  return makeAccount("a", { labels: { tenantName: "t1" }, annotations: { [annotations.claimPending]: "p" } });
}
