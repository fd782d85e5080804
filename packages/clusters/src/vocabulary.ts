/**
 * Every name that the operators write on objects: on ours, on Gardener's and in target clusters. The next run finds by
 * them what is ours, and others select by them: a change here is a change of contract.
 *
 * Reasons and texts of each operator's conditions and events are in the vocabulary.ts of its folder.
 */
const operator = "operator.kyma-project.io";

export const finalizers = {
  /** Holds a Cluster until its Shoot, its subscription and its bindings are gone. */
  cluster: `${operator}/cluster`,
  /** Holds a SubscriptionRequest until its account is given back. */
  subscription: "subscription.kyma-project.io/release",
  /** Holds a KubeconfigRequest until nothing of it is left in the target. */
  kubeconfig: `${operator}/kubeconfig-cleanup`,
} as const;

/** On Shoots, and on what is made in a target cluster. Nothing without the right UID is ever changed or removed. */
export const labels = {
  managedBy: "app.kubernetes.io/managed-by",
  clusterUid: `${operator}/cluster-uid`,
  requestUid: `${operator}/request-uid`,
} as const;

/** The value of `labels.managedBy`. */
export const managedByClusters = "berg-clusters";

export const annotations = {
  /** On a Shoot: the Cluster that it was made for. */
  clusterUid: `${operator}/cluster-uid`,
  clusterName: `${operator}/cluster-name`,
  clusterNamespace: `${operator}/cluster-namespace`,
  /** On a Shoot: of the ConfigMap that says who may sign in, as it was when Gardener was last told. */
  authenticationDigest: `${operator}/authentication-digest`,
  /** On a Shoot: `<generation of the Cluster>:<how often>:<when last>` Gardener was asked to try again. */
  retries: `${operator}/retries`,
  /** On a Cluster: the UID of the Shoot that is lost and may be made anew. */
  recreateShoot: `${operator}/recreate-shoot`,
  /** On a Cluster: nothing is written to its Shoot while this is "true". */
  suspend: `${operator}/suspend`,
  /** On a Cluster: every KubeconfigRequest of it is revoked while this is "true". */
  revokeAll: `${operator}/revoke-all-kubeconfigs`,
  /** On a KubeconfigRequest. Only the text "true" counts. */
  rotate: `${operator}/rotate`,
  revoke: `${operator}/revoke`,
  /** On a KubeconfigRequest, by us: the newest epoch that was asked for by `rotate` and is done with. */
  rotated: `${operator}/rotated-epoch`,
  /** On a binding of Gardener: which SubscriptionRequest has claimed it, and when. */
  claimedBy: "subscription.kyma-project.io/claimed-by",
  claimedAt: "subscription.kyma-project.io/claimed-at",
  /** On the same, until the claim stands: which process is at it. */
  claimPending: "subscription.kyma-project.io/claim-pending",
  /** On the same: the request that had claimed it, and that goes while a Shoot uses it. The next one takes the claim. */
  claimLeft: "subscription.kyma-project.io/claim-left",
} as const;

/** Of Gardener. */
export const gardener = {
  confirmDeletion: "confirmation.gardener.cloud/deletion",
  operation: "gardener.cloud/operation",
} as const;

/** Labels of the account pool: whoever else claims accounts reads and writes the same. */
export const pool = {
  hyperscalerType: "hyperscalerType",
  tenantName: "tenantName",
  shared: "shared",
  euAccess: "euAccess",
  dirty: "dirty",
  internal: "internal",
} as const;

/** Where service accounts of kubeconfigs live in a target cluster. */
export const accessNamespace = "kyma-kubeconfig-access";

/**
 * Namespaces of target clusters whose service accounts can do more than those of others, most of them everything: who takes
 * one of these has the cluster. There is no telling by a name's end: compass-system is somebody's own.
 */
export const systemNamespaces: readonly string[] = [
  // Of Kubernetes, and of what Gardener puts into every cluster.
  ...["kube-system", "kube-public", "kube-node-lease"],
  // Whatever was installed without a thought of where.
  "default",
  // The gardenlet, in a cluster that runs other clusters.
  "garden",
  // Operators of Kyma, which install anything; of Istio, which changes every pod.
  ...["kyma-system", "istio-system"],
  // Our own.
  ...["berg", "berg-clusters", accessNamespace],
];
