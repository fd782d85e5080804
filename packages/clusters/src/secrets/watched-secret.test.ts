import type { Stored } from "@berg/apimachinery";
import type { Secret } from "@berg/kube";
import { expect, test } from "vitest";
import { digestOf, withDigests } from "./watched-secret.ts";

const identity = { name: "s", namespace: "n", uid: "u", resourceVersion: "7" };

function secretWith(more: object, data: Record<string, string> = { kubeconfig: "eA==" }): Stored<Secret> {
  return { apiVersion: "v1", kind: "Secret", metadata: { ...identity, ...more }, data } as Stored<Secret>;
}

test("whose it is and our own marks are kept, and digests in the place of values", () => {
  const owner = { apiVersion: "v1", kind: "KubeconfigRequest", name: "r", uid: "r-1" };
  const own = { "app.kubernetes.io/managed-by": "berg-clusters", "operator.kyma-project.io/request-uid": "r-1" };
  const secret = secretWith({
    labels: { ...own, team: "red" },
    annotations: { "operator.kyma-project.io/epoch": "1", note: "theirs" },
    ownerReferences: [owner],
    managedFields: [{ manager: "kubectl" }],
  });
  expect(withDigests(secret)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      ...identity,
      labels: own,
      annotations: { "operator.kyma-project.io/epoch": "1" },
      ownerReferences: [owner],
    },
    digests: { kubeconfig: digestOf("eA==") },
  });
});

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

test.each([
  ["keys", secretWith({}, Object.fromEntries(many(100_000).map((at) => [`k${at}`, ""])))],
  ["owners", secretWith({ ownerReferences: many(10_000).map((at) => ({ name: `owner-${at}`, uid: `${at}` })) })],
  [
    "marks like ours",
    secretWith({
      annotations: Object.fromEntries(many(5_000).map((at) => [`operator.kyma-project.io/a${at}`, "x"])),
    }),
  ],
])("of one with thousands of %s no more is kept than that it is there", (_, secret) => {
  expect(withDigests(secret)).toEqual({ apiVersion: "v1", kind: "Secret", metadata: identity, digests: {} });
});
