/**
 * Why a target cannot be used: reasons and texts for conditions. A text names fields and the fix, never what stands in
 * a kubeconfig.
 */
export const targetReasons = {
  /** There is no Shoot, or it has no address yet. */
  notReady: "NotReady",
  hibernated: "Hibernated",
  shootMissing: "ShootMissing",
  shootNotOurs: "ShootNotOurs",
  adminKubeconfigInvalid: "AdminKubeconfigInvalid",
  secretMissing: "KubeconfigSecretMissing",
  secretUnreadable: "KubeconfigSecretUnreadable",
  kubeconfigInvalid: "KubeconfigInvalid",
  kubeconfigRefused: "KubeconfigRefused",
  addressRefused: "AddressRefused",
  credentialsExpired: "CredentialsExpired",
  unreachable: "TargetUnreachable",
  untrusted: "TargetUntrusted",
  unauthorized: "TargetUnauthorized",
  forbidden: "TargetForbidden",
  failing: "TargetFailing",
  notAdministrator: "NotAdministrator",
} as const;

export type TargetReason = (typeof targetReasons)[keyof typeof targetReasons];

export const shootTexts = {
  notCreated: "The Shoot has not been created yet: its Cluster says why.",
  missing: "The Shoot of this Cluster is not in Gardener: its Cluster says what to do.",
  notOurs: (annotation: string) =>
    `The annotation ${annotation} of the Shoot does not name this Cluster: nothing is done there. Its Cluster says what to do.`,
  hibernated: "The Shoot is hibernated. It goes on when the Shoot is woken up.",
  noAddress: "The Shoot's API server has no address yet. It goes on when Gardener has made it.",
  invalid: (problem: string) => `Gardener's administrator kubeconfig cannot be used: ${problem}.`,
} as const;

type Place = { name: string; key: string };

export const byocTexts = {
  missing: (name: string) => `There is no Secret "${name}" in the namespace of the Cluster: create it.`,
  keyMissing: ({ name, key }: Place) =>
    `The Secret "${name}" has no key "${key}", or it is empty: put the kubeconfig there.`,
  forbidden: (name: string) =>
    `The operator may not read the Secret "${name}": bind the ClusterRole berg-clusters-byoc-secrets in this namespace, as deploy/clusters/namespace-secrets.yaml does.`,
  unreadable: (name: string) => `The Secret "${name}" cannot be read now. It is tried again.`,
  problem: ({ name, key }: Place, problem: string) =>
    `The kubeconfig in the Secret "${name}", key "${key}", cannot be used: ${problem}.`,
  expired: ({ name }: Place) => `The credentials in the Secret "${name}" have expired: put new ones there.`,
  address:
    "The server of the kubeconfig is at an address that is not allowed: this machine, link-local, metadata, multicast or none. Give one that others reach too, or allow it in BYOC_ALLOW_CIDRS.",
  notAdministrator:
    "The user of the kubeconfig is no administrator of the cluster: bind it to the ClusterRole cluster-admin.",
} as const;

/** What a target itself answers. Its own words are not quoted: it may be anybody's. */
export const answerTexts = {
  unreachable: (code: string) =>
    `The cluster's API server cannot be reached${code && ` (${code})`}. It is tried again; check that it runs, and the network.`,
  untrusted: (code: string) =>
    `The cluster's API server cannot be trusted (${code}): its certificate is not one of the kubeconfig's certificate-authority-data for the host in server.`,
  unauthorized: "The cluster's API server does not accept the credentials: give new ones.",
  forbidden:
    "The cluster's API server forbids it: the user of the kubeconfig must be bound to the ClusterRole cluster-admin.",
  failing: (code: number | string) => `The cluster's API server fails (${code}). It is tried again.`,
} as const;
