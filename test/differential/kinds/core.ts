/** Small kinds of the core group, and leases and disruption budgets, which are as small. */
import fc from "fast-check";
import { few, type Kind, metadata, number, rarely, some, word, wordMap } from "./kind.ts";

const base64 = fc.constantFrom("AQ==", "YQ==", "");
const reference = (name: string) => ({ name });

export const configMaps: Kind = {
  resource: "configmaps",
  apiVersion: "v1",
  kind: "ConfigMap",
  namespaced: true,
  base: {},
  body: some({
    metadata,
    data: wordMap,
    binaryData: fc.dictionary(fc.constantFrom("a", "d"), base64, { maxKeys: 2 }),
    immutable: fc.constantFrom(false, false, true),
  }),
};

export const secrets: Kind = {
  resource: "secrets",
  apiVersion: "v1",
  kind: "Secret",
  namespaced: true,
  base: {},
  body: some({
    metadata,
    type: fc.constantFrom(
      "Opaque",
      "Opaque",
      "x.io/own",
      "kubernetes.io/basic-auth",
      "kubernetes.io/dockerconfigjson",
      "kubernetes.io/tls",
      "kubernetes.io/service-account-token",
      "kubernetes.io/ssh-auth",
    ),
    data: fc.dictionary(fc.constantFrom("a", "b", "username", "tls.crt", "tls.key", ".dockerconfigjson"), base64, {
      maxKeys: 2,
    }),
    stringData: fc.dictionary(fc.constantFrom("a", "b", "password"), word, { maxKeys: 2 }),
    immutable: fc.constantFrom(false, false, true),
  }),
};

export const serviceAccounts: Kind = {
  resource: "serviceaccounts",
  apiVersion: "v1",
  kind: "ServiceAccount",
  namespaced: true,
  base: {},
  body: some({
    metadata,
    secrets: fc.uniqueArray(word, few).map((names) => names.map(reference)),
    imagePullSecrets: fc.uniqueArray(word, few).map((names) => names.map(reference)),
    automountServiceAccountToken: fc.boolean(),
  }),
};

/** Those of a play carry its name, so that other plays' are not listed. */
export const namespaces: Kind = {
  resource: "namespaces",
  apiVersion: "v1",
  kind: "Namespace",
  namespaced: false,
  base: { metadata: { labels: { play: "{ns}" } } },
  body: some({ metadata, spec: some({ finalizers: fc.uniqueArray(fc.constantFrom("kubernetes", "x.io/c"), few) }) }),
  status: rarely({
    phase: fc.constantFrom("Active", "Terminating", "Odd"),
    conditions: fc
      .uniqueArray(word, few)
      .map((kinds) => kinds.map((type) => ({ type, status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }))),
  }),
};

export const leases: Kind = {
  resource: "leases",
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  namespaced: true,
  base: {},
  body: some({
    metadata,
    spec: some({
      holderIdentity: word,
      leaseDurationSeconds: fc.constantFrom(1, 2, 0),
      leaseTransitions: fc.constantFrom(1, 2, -1),
      acquireTime: fc.constantFrom("2020-01-01T00:00:00.000000Z", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123Z"),
      renewTime: fc.constantFrom("2020-01-01T00:00:00.000001Z", "2020-01-01T01:00:00+01:00"),
      strategy: fc.constantFrom("OldestEmulationVersion", "a"),
      preferredHolder: word,
    }),
  }),
};

const amount = fc.constantFrom(1, 0, "50%", "x", -1);

export const disruptionBudgets: Kind = {
  resource: "poddisruptionbudgets",
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  namespaced: true,
  base: {},
  body: some({
    metadata,
    spec: rarely({
      minAvailable: amount,
      maxUnavailable: amount,
      selector: some({ matchLabels: wordMap }),
      unhealthyPodEvictionPolicy: fc.constantFrom("AlwaysAllow", "IfHealthyBudget", "Odd"),
    }),
  }),
  status: rarely({
    observedGeneration: number,
    disruptionsAllowed: number,
    currentHealthy: number,
    desiredHealthy: number,
    expectedPods: number,
    disruptedPods: fc.constantFrom({}, { a: "2020-01-01T00:00:00Z" }),
    conditions: fc.constantFrom(
      [],
      [{ type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2020-01-01T00:00:00Z" }],
    ),
  }),
};
