/** KubeconfigRequest: asks for a kubeconfig of a Cluster that can do what its rules say, for a while, and no more. */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { conditions } from "./conditions.ts";
import { labelName, list, objectName, text, time } from "./fields.ts";
import { immutable, ruled } from "./rules.ts";

export const kubeconfigPhases = ["Pending", "Issued", "Rotating", "Revoking", "Revoked", "Failed"] as const;

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const kubeconfigStatusLimits = { retiring: 32 } as const;

const word = (what: string, max = 253) => text({ min: 1, max }).describe(what);

const ruleFields = {
  apiGroups: list(
    text({ max: 253 }).describe('Such as apps, "" for the core group, or * for all. A version after it is dropped.'),
    64,
  )
    .describe("API groups of the resources.")
    .exactOptional(),
  resources: list(word("Such as pods or pods/log, or a kind such as Pod."), 128)
    .describe("What it is about.")
    .exactOptional(),
  resourceNames: list(word("Name of one object."), 128)
    .describe("Only objects of these names. Left out: all of them.")
    .exactOptional(),
  verbs: list(word("Such as get, list or create, or * for all.", 63), 32).describe("What may be done."),
};

const policyRule = z.strictObject(ruleFields).describe("One thing that may be done.");

const clusterPolicyRule = z
  .strictObject({
    ...ruleFields,
    nonResourceURLs: list(word("Such as /metrics."), 64).describe("Paths that are no objects.").exactOptional(),
  })
  .describe("One thing that may be done.");

const maxRules = 64;

const clusterRole = z
  .strictObject({ rules: list(clusterPolicyRule, maxRules).describe("What may be done.") })
  .describe("What may be done in the whole cluster.");

const role = z
  .strictObject({
    namespace: labelName().describe("The namespace, which must be there: it is not made."),
    rules: list(policyRule, maxRules).describe("What may be done there."),
  })
  .describe("What may be done in one namespace.");

const clusterRef = z
  .strictObject({
    name: objectName().describe("Name of the Cluster."),
    namespace: labelName().describe("Namespace of the Cluster."),
  })
  .describe(
    "The Cluster, where it is in another namespace: whoever creates the request must be allowed to create one there, too, where deploy/clusters is installed. Either this or cluster. It cannot be changed.",
  );

export const kubeconfigRequestSpec = ruled(
  z.strictObject({
    cluster: objectName()
      .describe("Name of the Cluster, in the namespace of the request. It cannot be changed.")
      .exactOptional(),
    clusterRef: ruled(clusterRef, immutable("clusterRef")).exactOptional(),
    clusterRole: clusterRole.exactOptional(),
    role: role.exactOptional(),
    expiration: z
      .int()
      .min(600)
      .max(86_400)
      .describe("How long each kubeconfig lives, in seconds: 600 to 86400. It is replaced by a new one in good time.")
      .default(3600),
    output: z
      .enum(["Secret", "Status"])
      .describe(
        "Where the kubeconfig is put. Secret: in a Secret beside the request, which status.secretRef names. Status: in status.kubeconfig, in Base64; then whoever may read the request has the access too, and it is not encrypted where only Secrets are.",
      )
      .default("Secret"),
    audiences: list(word("One audience."), 16)
      .describe("Whom the token is for. Left out: the API server of the cluster.")
      .exactOptional(),
  }),
  {
    cel: "has(self.cluster) != has(self.clusterRef)",
    message: "exactly one of cluster and clusterRef must be set",
    holds: (self) => (self.cluster === undefined) !== (self.clusterRef === undefined),
  },
  {
    cel: "has(self.cluster) == has(oldSelf.cluster) && (!has(self.cluster) || self.cluster == oldSelf.cluster)",
    message: "cluster cannot be changed",
    field: "cluster",
    holds: (self, before) => self.cluster === before.cluster,
  },
  {
    cel: "has(self.clusterRole) || has(self.role)",
    message: "at least one of clusterRole and role must be set",
    holds: (self) => self.clusterRole !== undefined || self.role !== undefined,
  },
).describe("Access to which cluster, to do what, and for how long.");

/** No pattern: the server's message would quote a credential that does not match. */
const kubeconfig = text({ max: 262_144 }).describe("The kubeconfig in Base64, where spec.output is Status.");

export const kubeconfigRequestStatus = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    phase: z
      .enum(kubeconfigPhases)
      .describe(
        "Where the request is. Pending: it waits for the cluster. Issued: there is a kubeconfig. Rotating: it is replaced. Revoking: it is taken away. Revoked: whatever was issued is of no use any more. Failed: there cannot be one until the spec changes.",
      )
      .exactOptional(),
    kubeconfig: kubeconfig.exactOptional(),
    secretRef: z
      .strictObject({
        name: text({ min: 1, max: 253 }).describe("Name of the Secret, in the namespace of the request."),
        key: text({ min: 1, max: 253 }).describe("Key of the Secret that holds the kubeconfig."),
      })
      .describe("Where the kubeconfig is, where spec.output is Secret.")
      .exactOptional(),
    expirationTimestamp: time().describe("When the kubeconfig stops to work.").exactOptional(),
    issuedAt: time().describe("When it was issued.").exactOptional(),
    epoch: z.int().min(0).describe("Which kubeconfig it is: each new one has a higher number.").exactOptional(),
    serviceAccount: text({ max: 253 }).describe("Service account in the cluster, as namespace/name.").exactOptional(),
    serviceAccountUid: text({ max: 128 }).describe("UID of that service account.").exactOptional(),
    credentialHash: text({ max: 64 })
      .describe("Beginning of the SHA-256 of the token, to tell one from another.")
      .exactOptional(),
    server: text({ max: 2048 }).describe("Address of the API server in the kubeconfig.").exactOptional(),
    certificateAuthorityHash: text({ max: 64 })
      .describe("Beginning of the SHA-256 of the certificate authorities in the kubeconfig.")
      .exactOptional(),
    lastRotationRequest: text({ max: 253 })
      .describe("Which request to rotate was answered last, so that it is not answered twice.")
      .exactOptional(),
    lastRotationEnded: text({ max: 253 })
      .describe(
        "The same, once its annotation was taken off, so that the next one is answered also where all annotations were replaced.",
      )
      .exactOptional(),
    issuedFor: text({ max: 64 })
      .describe(
        "Fingerprint of what the kubeconfig was issued for: the cluster with its address and keys, and whom it is for.",
      )
      .exactOptional(),
    retiring: list(
      z
        .strictObject({
          epoch: z.int().min(0).describe("Which kubeconfig."),
          until: time().describe("When it is made useless, if it has not come to its end by itself before."),
          expirationTimestamp: time().describe("When it comes to its end by itself.").exactOptional(),
          server: text({ max: 2048 })
            .describe(
              "Address of the API server in it. Where the Cluster leads to another cluster by now, it works there until expirationTimestamp.",
            )
            .exactOptional(),
          serviceAccountUid: text({ max: 128 })
            .describe("UID of the service account there, which no two clusters share.")
            .exactOptional(),
          certificateAuthorityHash: text({ max: 64 })
            .describe("Beginning of the SHA-256 of the certificate authorities there.")
            .exactOptional(),
        })
        .describe("One that was replaced."),
      kubeconfigStatusLimits.retiring,
    )
      .describe("Those that were replaced and may be in use still.")
      .exactOptional(),
    conditions: conditions({ what: "request", such: "Issued or RulesAccepted" })
      .describe("What was found out about the request.")
      .exactOptional(),
  })
  .describe("What has become of the request. Written by Berg alone.");

export type KubeconfigRequestSpec = z.output<typeof kubeconfigRequestSpec>;
export type KubeconfigRequestStatus = z.output<typeof kubeconfigRequestStatus>;
export type KubeconfigPhase = (typeof kubeconfigPhases)[number];
export type KubeconfigPolicyRule = z.output<typeof clusterPolicyRule>;

/** As the API server returns it: every default is filled in. */
export interface KubeconfigRequest extends KubeObject {
  spec: KubeconfigRequestSpec;
  status?: KubeconfigRequestStatus;
}
