/** What is said about KubeconfigRequests: reasons, texts and events; and what stands on the Secrets that hold kubeconfigs. */
import { accessNamespace } from "../vocabulary.ts";

export const conditionTypes = {
  rulesAccepted: "RulesAccepted",
  targetReachable: "TargetReachable",
  rbacReady: "RBACReady",
  issued: "Issued",
  revoked: "Revoked",
} as const;

/** On the Secret that holds a kubeconfig, so that what was published can be told after a crash. */
export const secretAnnotations = {
  epoch: "operator.kyma-project.io/epoch",
  anchorUid: "operator.kyma-project.io/anchor-uid",
  issuedAt: "operator.kyma-project.io/issued-at",
  expiresAt: "operator.kyma-project.io/expires-at",
  credentialHash: "operator.kyma-project.io/credential-hash",
  serviceAccountUid: "operator.kyma-project.io/service-account-uid",
  server: "operator.kyma-project.io/server",
  certificateAuthorityHash: "operator.kyma-project.io/certificate-authority-hash",
  /** The SHA-256 of what is in it: where that differs, somebody else has changed it. */
  contents: "operator.kyma-project.io/contents-hash",
  /** "true": it answers a request to rotate. */
  answers: "operator.kyma-project.io/answers",
} as const;

/** The key of that Secret. */
export const secretKey = "kubeconfig";

export const fieldManager = "berg-kubeconfigs";

export const reasons = {
  accepted: "Accepted",
  unknownResources: "UnknownResources",
  invalidRules: "InvalidRules",
  escalatingRules: "EscalatingRules",
  reached: "Reached",
  clusterNotFound: "ClusterNotFound",
  clusterNotReady: "ClusterNotReady",
  shootMissing: "ShootMissing",
  unreachable: "TargetUnreachable",
  unauthorized: "TargetUnauthorized",
  failing: "TargetFailing",
  granted: "Granted",
  namespaceMissing: "NamespaceMissing",
  nameTaken: "NameTaken",
  policyNotInForce: "PolicyNotInForce",
  forbidden: "TargetForbids",
  refused: "TargetRefuses",
  issued: "Issued",
  waiting: "Waiting",
  expired: "Expired",
  tokenRefused: "TokenRefused",
  tokenTooShort: "TokenTooShort",
  tooMany: "TooManyElsewhere",
  secretNameTaken: "SecretNameTaken",
  secretRefused: "SecretRefused",
  secretsForbidden: "SecretsForbidden",
  revoking: "Revoking",
  revoked: "Revoked",
  clusterGone: "ClusterGone",
  targetChanged: "TargetChanged",
} as const;

/** Words of Kubernetes for a refusal. No other word of a target is ever quoted: it may be anybody's. */
export const refusals: readonly string[] = [
  "AlreadyExists",
  "BadRequest",
  "Conflict",
  "Forbidden",
  "Gone",
  "Invalid",
  "MethodNotAllowed",
  "NotFound",
  "RequestEntityTooLarge",
];

export const texts = {
  accepted: "The rules can be granted",
  unknownResources: (names: readonly string[]) =>
    `The cluster serves no ${names.join(", no ")}: the rules are granted as they stand, and nothing comes of these. They are looked up again at each rotation`,
  codeRunsIn: (namespace: string) =>
    `With these rules a holder runs code in the namespace ${namespace} and can do what its service accounts can. What runs there goes on after a revocation: delete it, and see which service accounts are in the namespace`,
  allSecrets:
    "With these rules a holder reads the tokens, passwords and keys in the Secrets of every namespace. After a revocation, replace those that matter",
  renamed: (names: readonly string[]) => `Granted as RBAC has it: ${names.join(", ")}`,
  invalidRules: (problems: readonly string[]) => `RBAC cannot take the rules: ${problems.join("; ")}`,
  escalatingRules: (problems: readonly string[]) =>
    `Refused, because a revocation could not undo what a holder does with these rules: ${problems.join("; ")}. Remove the resources and verbs in brackets; if they are indispensable, the operators grant them with ALLOW_ESCALATING_RULES`,
  policyUnsupported: (namespace: string) =>
    `Refused, because with Secrets in ${namespace} a holder could make tokens of its service accounts, and the cluster has no ValidatingAdmissionPolicies to prevent it: upgrade it to Kubernetes 1.30 or later, or remove create, update and patch of Secrets`,
  policyNotInForce:
    "The policy that keeps holders from making tokens of service accounts is not in force in the cluster yet: it is tried again",
  reached: "The cluster answers",
  clusterNotFound: (name: string) => `There is no Cluster ${name}: create it, or delete this request`,
  clusterNotReady: (name: string) => `Waits until the Cluster ${name} is provisioned`,
  shootMissing: (name: string) => `The Shoot of the Cluster ${name} is gone, and with it whatever was issued`,
  unreachable: "The API server of the cluster cannot be reached: it is tried again",
  unauthorized: "The API server of the cluster does not accept our credentials: new ones are asked for",
  failing: (code: number) => `The API server of the cluster fails (${code}): it is tried again`,
  nonsense: "The API server of the cluster does not answer as one: it is tried again. Check what is at its address",
  granted: "Service account, roles and bindings are as asked for",
  namespaceMissing: (namespace: string) =>
    `The cluster has no namespace ${namespace}, and it is not made: make it, or name another in role.namespace`,
  nameTaken: (why: string) => `In the cluster, ${why}`,
  forbidden: (answer: string) =>
    `The cluster does not let us (${answer}): its administrator's kubeconfig must be cluster-admin`,
  refused: (answer: string) => `The cluster refuses what was asked for (${answer}): it is tried again`,
  issued: "The kubeconfig is there, and was tried",
  waiting: "There is no kubeconfig yet",
  notWhile: "There is no kubeconfig while access is revoked",
  expired: "The kubeconfig has expired, and could not be replaced",
  tokenRefused:
    "The cluster does not accept the token that it has made: it is tried again. With audiences in the spec, one of them must be its API server's",
  tokenTooShort: "The cluster makes tokens that end within a minute: none is handed out",
  tooMany: (servers: readonly string[]) =>
    `Too many that were issued work in clusters that the Cluster led to before (${servers.join(", ")}): the next is issued when the first of them expires`,
  secretNameTaken: (name: string) =>
    `A Secret ${name} is there already, and is not this request's: delete it, or name the request otherwise`,
  secretRefused: (name: string, answer: string) =>
    `The Secret ${name} cannot be written (${answer}): it is tried again. Delete it, and see which webhooks of this cluster look at Secrets`,
  secretsForbidden: (namespace: string) =>
    `The operators may not read, watch and write Secrets in the namespace ${namespace}: bind the ClusterRole berg-clusters-kubeconfig-secrets there, as deploy/clusters/namespace-secrets.yaml does, or set output to Status`,
  copyStays: (name: string, namespace: string) =>
    `The kubeconfig in the Secret ${name} could not be taken away: the operators may not read and delete Secrets in the namespace ${namespace}. Bind the ClusterRole berg-clusters-kubeconfig-secrets there, as deploy/clusters/namespace-secrets.yaml does`,
  revoking: "Access is being revoked",
  revokingLate: (why: string) =>
    `The published kubeconfig is taken back; those who have it can use it until the cluster can be reached: ${why}`,
  revoked: "Whatever was issued is refused by the cluster",
  revokedByExpiry:
    "Whatever was issued has expired. What was made in the cluster for it is removed as soon as the cluster can be reached",
  targetChanged: (servers: readonly string[]) =>
    `The Cluster leads to another cluster now, or to one where somebody has deleted whatever it could be known by; nothing is left there. What was issued before, for ${servers.join(" and ")}, works where it was issued until it expires (expirationTimestamp, retiring). Where the cluster was brought along, put the former kubeconfig back into its Secret to have it cut off at once`,
  expiredElsewhere: (servers: readonly string[]) =>
    `Whatever was issued for ${servers.join(" and ")}, where the Cluster led to before, has expired; nothing is left in the cluster where it leads to now`,
  clusterGone: "The cluster is gone, and with it whatever was issued",
  clusterLeft:
    "The Cluster or its Shoot is gone, and with it the way to revoke. If a cluster lives on for which something was issued, as one that was brought along or retained does, it works there until it expires (expirationTimestamp, retiring)",
  clusterLeftExpired: "The Cluster is gone, and whatever was issued has expired",
} as const;

export const events = {
  issued: { type: "Normal", reason: "KubeconfigIssued", message: "A kubeconfig was issued" },
  rotated: { type: "Normal", reason: "KubeconfigRotated", message: "The kubeconfig was replaced by a new one" },
  revoked: { type: "Normal", reason: "KubeconfigRevoked" },
  rulesRefused: { type: "Warning", reason: "RulesRefused" },
  unavailable: { type: "Warning", reason: "TargetUnavailable" },
  /** The Cluster or its Shoot is gone, and what was issued is not at its end. */
  outlived: {
    type: "Warning",
    reason: "OrphanedAccessObjects",
    message: `The Cluster or its Shoot is gone before what was issued has expired: if a cluster lives on for which it was issued, it works there until then, and objects marked with this request's UID stay behind in its namespace ${accessNamespace}`,
  },
  /** The Cluster leads to another one. */
  leftElsewhere: {
    type: "Warning",
    reason: "OrphanedAccessObjects",
    message: (servers: readonly string[]) =>
      `Whatever was issued for ${servers.join(" and ")} has expired, and the Cluster leads elsewhere: objects marked with this request's UID stay behind there in the namespace ${accessNamespace}`,
  },
  orphaned: {
    type: "Warning",
    reason: "OrphanedAccessObjects",
    message: `The cluster could not be reached, and whatever was issued has expired: objects marked with this request's UID stay behind in its namespace ${accessNamespace}`,
  },
} as const;
