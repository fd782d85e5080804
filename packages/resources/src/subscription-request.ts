/** SubscriptionRequest: asks for an account of a cloud, out of a pool, that pays for a cluster. */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { cloudName, plan, subscriptionSelector } from "./cluster-fields.ts";
import { conditions } from "./conditions.ts";
import { text, time } from "./fields.ts";
import { immutable, ruled } from "./rules.ts";

export const subscriptionProviders = ["aws", "azure", "gcp", "openstack", "alicloud"] as const;

export const subscriptionPhases = ["Pending", "Bound", "Exhausted", "Releasing", "Failed"] as const;

export const subscriptionRequestSpec = ruled(
  z.strictObject({
    provider: z.enum(subscriptionProviders).describe("The cloud."),
    subscriptionSelector: subscriptionSelector().describe(
      "Whose account. shared: the least used of those that are shared. globalaccount:<id> or <id>: the tenant's own; where it has none, one that nobody uses becomes its own.",
    ),
    region: cloudName().describe("Region of the cloud, for pools that are kept apart by region.").exactOptional(),
    platformRegion: cloudName()
      .describe("Region of the platform, such as cf-eu11, for pools that are kept apart by it.")
      .exactOptional(),
    euAccess: z
      .boolean()
      .describe("Whether the account must be one that is looked after from within the EU only.")
      .exactOptional(),
    plan: plan()
      .describe("Plan of the tenant, such as trial: the rules of the pool go by it. Left out: the provider.")
      .exactOptional(),
  }),
  immutable("spec"),
).describe("Which account is wanted. It cannot be changed: delete the request and create another.");

const binding = z
  .strictObject({
    apiVersion: text({ min: 1, max: 253 }).describe("Such as security.gardener.cloud/v1alpha1."),
    kind: z.enum(["CredentialsBinding", "SecretBinding"]).describe("Kind of the binding."),
    name: text({ min: 1, max: 253 }).describe("Name of the binding, which a Shoot refers to."),
    uid: text({ min: 1, max: 128 }).describe("UID of the binding: one made anew under its name is another."),
  })
  .describe("The account, as Gardener knows it. Once there it stays: clusters run on it.");

export const subscriptionRequestStatus = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    phase: z
      .enum(subscriptionPhases)
      .describe(
        "Where the request is. Pending: it is looked for. Bound: there it is. Exhausted: none is left, and one is waited for. Releasing: it is given back. Failed: there cannot be one.",
      )
      .exactOptional(),
    gardenerSecretName: text({ max: 253 })
      .describe("Name of the Secret in Gardener that holds the credentials.")
      .exactOptional(),
    gardenerSecretNamespace: text({ max: 63 }).describe("Namespace of that Secret.").exactOptional(),
    binding: binding.exactOptional(),
    hyperscalerType: text({ max: 253 }).describe("Which part of the pool it is from.").exactOptional(),
    shared: z.boolean().describe("Whether others use it too.").exactOptional(),
    boundAt: time().describe("When it was bound.").exactOptional(),
    conditions: conditions({ what: "request", such: "Bound or PoolAvailable" })
      .describe("What was found out about the request.")
      .exactOptional(),
  })
  .describe("What has become of the request. Written by Berg alone.");

export type SubscriptionRequestSpec = z.output<typeof subscriptionRequestSpec>;
export type SubscriptionRequestStatus = z.output<typeof subscriptionRequestStatus>;
export type SubscriptionPhase = (typeof subscriptionPhases)[number];

/** As the API server returns it. */
export interface SubscriptionRequest extends KubeObject {
  spec: SubscriptionRequestSpec;
  status?: SubscriptionRequestStatus;
}
