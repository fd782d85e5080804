/** What has become of a Cluster. */
import { z } from "zod";
import { cloudName } from "./cluster-fields.ts";
import { maxZones } from "./cluster-infrastructure.ts";
import { conditionLimits, datedConditions } from "./conditions.ts";
import { list, text, time } from "./fields.ts";

export const clusterPhases = [
  "Pending",
  "Provisioning",
  "Ready",
  "Updating",
  "Degraded",
  "Failed",
  "Deleting",
] as const;

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const clusterStatusLimits = { ...conditionLimits, description: 4096, errorCodes: 32 } as const;

const progress = () => z.int().min(0).max(100).describe("How far it is, in percent.");

const shootRef = z
  .strictObject({
    name: text({ min: 1, max: 63 }).describe("Name of the Shoot."),
    uid: text({ min: 1, max: 128 }).describe("UID of the Shoot: one made anew under its name is another."),
    technicalID: text({ max: 253 }).describe("What Gardener calls it in its own seeds and clouds.").exactOptional(),
  })
  .describe("The Shoot in Gardener.");

const lastOperation = z
  .strictObject({
    type: text({ max: 64 }).describe("What Gardener does, such as Create, Reconcile or Delete."),
    state: text({ max: 64 }).describe("How it goes, such as Processing, Succeeded, Error or Failed."),
    progress: progress(),
    description: text({ max: clusterStatusLimits.description }).describe("What it is at.").exactOptional(),
    lastUpdateTime: time().describe("When Gardener last said so.").exactOptional(),
  })
  .describe("What Gardener last did, or does now.");

const retries = z
  .strictObject({
    count: z.int().min(0).max(1000).describe("How often."),
    lastRetryTime: time().describe("When last.").exactOptional(),
  })
  .describe("How often Gardener was asked to try again what it had given up.");

export const clusterStatus = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    phase: z
      .enum(clusterPhases)
      .describe(
        "Where the cluster is in its life. Pending: it waits for an account. Provisioning: it is made. Ready: it can be used. Updating: it is changed. Degraded: it runs, and something of it is not well. Failed: it stays as it is until somebody changes something. Deleting: it goes.",
      )
      .exactOptional(),
    shootRef: shootRef.exactOptional(),
    zones: list(cloudName().describe("Name of one zone."), maxZones)
      .describe("Zones that the machines stand in. Chosen once; they only grow.")
      .exactOptional(),
    apiServerURL: text({ max: 2048 }).describe("Address of the cluster's API server.").exactOptional(),
    certificateAuthorityHash: text({ max: 64 })
      .describe(
        "Beginning of the SHA-256 of the certificate authorities in the kubeconfig of a cluster that was brought along. Where it changes, the cluster may be another.",
      )
      .exactOptional(),
    progress: progress().exactOptional(),
    lastOperation: lastOperation.exactOptional(),
    retries: retries.exactOptional(),
    errorCodes: list(
      text({ min: 1, max: 128 }).describe("One code, such as ERR_INFRA_QUOTA_EXCEEDED."),
      clusterStatusLimits.errorCodes,
    )
      .describe("Gardener's codes of what stands in the way.")
      .exactOptional(),
    userError: z
      .boolean()
      .describe("Whether somebody must change the spec or the account before it can go on.")
      .exactOptional(),
    administrators: list(text({ min: 1, max: 253 }).describe("Name of one user."), 128)
      .describe("Users who are cluster-admin in the cluster by our doing.")
      .exactOptional(),
    provisioningCompletedAt: time().describe("When the cluster was ready for the first time.").exactOptional(),
    conditions: datedConditions({ what: "cluster", such: "ClusterProvisioned or SubscriptionReady" })
      .describe("What was found out about the cluster.")
      .exactOptional(),
  })
  .describe("What has become of the cluster. Written by Berg alone.");

export type ClusterStatus = z.output<typeof clusterStatus>;
export type ClusterPhase = (typeof clusterPhases)[number];
