/**
 * Every name that Berg writes on objects. Others select by these names and hold them in dashboards and policies: a
 * change here is a change of contract.
 */
export const group = "berg.norelect.ch";
export const version = "v1";

export const finalizers = {
  /** Holds a ChallengeInstance until everything made for it is gone. */
  controller: "challengeinstance.berg.norelect.ch/finalizer",
  /** Holds a ChallengeInstance until the API has recorded how it ended. */
  api: "api.berg.norelect.ch/sync",
  /** Holds a ContainerNetwork until a network that was made for it is gone. */
  network: "containernetwork.berg.norelect.ch/finalizer",
  /** Holds a ContainerNetworkTunnelProxy until both proxies, and all that was made for them, are gone. */
  tunnel: "tunnel.berg.norelect.ch/finalizer",
} as const;

/** Marks on the objects of an instance. Nothing without `managedBy` and the right `instanceUid` is ever touched. */
export const labels = {
  managedBy: "app.kubernetes.io/managed-by",
  component: "app.kubernetes.io/component",
  challenge: "berg.norelect.ch/challenge",
  challengeNamespace: "berg.norelect.ch/challenge-namespace",
  ownerId: "berg.norelect.ch/owner-id",
  instanceId: "berg.norelect.ch/instance-id",
  /** The UID of the ChallengeInstance: unlike every other name it is never used twice. */
  instanceUid: "berg.norelect.ch/instance-uid",
  container: "berg.norelect.ch/container",
  /** On routes: the first part of the hostname. */
  hostname: "berg.norelect.ch/hostname",
  /** On pods: what the deployment listener watches. */
  kind: "ctf/kind",
  /** On ContainerNetworks that Berg makes to show the network of a namespace: the name of the namespace. */
  networkOfNamespace: "berg.norelect.ch/network-of-namespace",
} as const;

/** The value of `labels.managedBy`. */
export const managedByBerg = "berg";

/** The value of `labels.kind`. */
export const challengeKind = "challenge";

/** The values of `labels.component`. */
export const components = {
  namespace: "challenge",
  networkPolicy: "challenge-network-policy",
  limits: "challenge-limits",
  pullSecret: "pull-secret",
  service: "challenge-service",
  route: "challenge-route",
  flagContent: "flag-content",
  flagExecutable: "flag-executable",
  disruptionBudget: "challenge-disruption-budget",
  deployment: "challenge-deployment",
  pod: "challenge-pod",
  /** On what is kept beside a ChallengeInstance: what its instance runs. */
  revision: "challenge-revision",
} as const;

export const annotations = {
  /** The full name of the Challenge, where the label had to be cut. */
  challengeName: "berg.norelect.ch/challenge-name",
  /** Set by the creator of a ChallengeInstance who wants to know the instance's id at once. */
  instanceId: "berg.norelect.ch/instance-id",
  /** On pods, and only after a restart: the `spec.restarts` that they were created for. */
  restarts: "berg.norelect.ch/restarts",
} as const;

/** Conditions of a ChallengeInstance that are not the controller's: it reads them, and never writes them. */
export const foreignConditions = {
  /** True: the listener has found that the instance does not get well by itself, and why, in words for the player. */
  stuck: "Stuck",
} as const;

/** Who owns which fields under server-side apply: one name for each component. */
export const fieldManagers = {
  controller: "berg-controller",
  listener: "berg-listener",
  janitor: "berg-janitor",
  api: "berg-api",
  networks: "berg-networks",
  tunnels: "berg-tunnels",
} as const;
