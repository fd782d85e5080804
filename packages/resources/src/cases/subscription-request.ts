/** What the CRD of SubscriptionRequest accepts and refuses, one case a constraint. */
import { type Case, type Fields, repeated } from "./case.ts";

/** As the seed has it, word for word. */
const proposal = { provider: "aws", subscriptionSelector: "abcd-0001" };

export const fullSubscriptionSpec = {
  ...proposal,
  region: "eu-central-1",
  platformRegion: "cf-eu11",
  euAccess: true,
  plan: "build_runtime-aws",
};

export const fullSubscriptionStatus = {
  observedGeneration: 1,
  phase: "Bound",
  gardenerSecretName: "subscription-secret",
  gardenerSecretNamespace: "garden-ctf",
  binding: {
    apiVersion: "security.gardener.cloud/v1alpha1",
    kind: "CredentialsBinding",
    name: "aws-17",
    uid: "5f0c",
  },
  hyperscalerType: "aws_cf-eu11",
  shared: false,
  boundAt: "2026-10-01T20:00:00Z",
  conditions: [{ type: "Bound", status: "True", reason: "Claimed", message: "" }],
};

const selector = (subscriptionSelector: unknown): Fields => ({ ...proposal, subscriptionSelector });

const specs: [string, Fields, string[]?][] = [
  ["everything it can hold", fullSubscriptionSpec],
  ["a provider without Clusters of ours", { ...proposal, provider: "alicloud" }],
  ["another provider", { ...proposal, provider: "AWS" }, ["spec.provider"]],
  ["no provider", { subscriptionSelector: "shared" }, ["spec.provider"]],
  ["no selector", { provider: "aws" }, ["spec.subscriptionSelector"]],
  ["an empty selector", selector(""), ["spec.subscriptionSelector"]],
  ["a shared account", selector("shared")],
  ["a tenant with its prefix", selector("globalaccount:abcd-0001")],
  ["a tenant of 63 characters", selector(`globalaccount:${"a".repeat(63)}`)],
  ["a tenant of 64 characters", selector(`globalaccount:${"a".repeat(64)}`), ["spec.subscriptionSelector"]],
  ["a tenant that ends with a dash", selector("abcd-"), ["spec.subscriptionSelector"]],
  ["a tenant that would be a selector of labels", selector("a,shared=true"), ["spec.subscriptionSelector"]],
  ["a tenant followed by a line feed", selector("a\n"), ["spec.subscriptionSelector"]],
  ["another prefix", selector("subaccount:a"), ["spec.subscriptionSelector"]],
  ["a plan with a space", { ...proposal, plan: "a b" }, ["spec.plan"]],
  ["a region of the platform with an underscore", { ...proposal, platformRegion: "cf_eu" }, ["spec.platformRegion"]],
  ["text for euAccess", { ...proposal, euAccess: "true" }, ["spec.euAccess"]],
  ["a field that does not exist", { ...proposal, tenant: "a" }, ["spec.tenant"]],
];

const changes: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullSubscriptionSpec, fullSubscriptionSpec],
  ["another provider", proposal, { ...proposal, provider: "gcp" }, ["spec"]],
  ["another tenant", proposal, selector("b"), ["spec"]],
  ["a first region", proposal, { ...proposal, region: "eu" }, ["spec"]],
  ["the plan goes", fullSubscriptionSpec, { ...fullSubscriptionSpec, plan: undefined }, ["spec"]],
];

const statuses: [string, Fields, string[]?][] = [
  ["everything it can hold", fullSubscriptionStatus],
  ["what the seed has", { gardenerSecretName: "subscription-secret" }],
  ["another phase", { phase: "Ready" }, ["status.phase"]],
  [
    "a binding of another kind",
    { binding: { ...fullSubscriptionStatus.binding, kind: "Secret" } },
    ["status.binding.kind"],
  ],
  ["33 conditions", { conditions: repeated(33, (i) => ({ type: `C${i}`, status: "True" })) }, ["status.conditions"]],
];

const kind = "SubscriptionRequest";

export const subscriptionRequestCases: Case[] = [
  { name: "the seed's example", kind, write: { spec: proposal }, wantStored: { spec: proposal } },
  ...specs.map(([name, spec, wantRefused = []]): Case => ({ name, kind, write: { spec }, wantRefused })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
  ...changes.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind,
      before: { spec: before },
      write: { spec },
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, status, wantRefused = []]): Case => ({
      name: `a status: ${name}`,
      kind,
      before: { spec: proposal },
      write: { spec: proposal, status },
      wantRefused,
    }),
  ),
];
