/**
 * What the controller says about an instance: conditions, reasons and events, in one place so that they can be reviewed.
 * People search for these words and programs compare them: a change here is a change of contract.
 */
import type { TerminationReason } from "@berg/resources";

export const conditionTypes = {
  challengeFound: "ChallengeFound",
  flagValidation: "FlagValidation",
  /** Whether there is a place for the instance: its owner has no other one, and the organiser's limit is not reached. */
  admitted: "Admitted",
  namespaceCreated: "NamespaceCreated",
  networkPolicyCreated: "NetworkPolicyCreated",
  servicesCreated: "ServicesCreated",
  routesCreated: "RoutesCreated",
  deploymentsCreated: "DeploymentsCreated",
  podsReady: "PodsReady",
  healthy: "Healthy",
  namespaceDeleted: "NamespaceDeleted",
} as const;

export type ConditionType = (typeof conditionTypes)[keyof typeof conditionTypes];

/** Reasons of conditions, and of `status.reason` where one of them decides the phase. */
export const reasons = {
  found: "Found",
  challengeMissing: "ChallengeMissing",
  challengeDeleted: "ChallengeDeleted",
  challengeInvalid: "ChallengeInvalid",
  invalidTimeout: "InvalidTimeout",
  internalError: "InternalError",

  flagGiven: "FlagGiven",
  flagNotNeeded: "FlagNotNeeded",
  flagMissing: "FlagMissing",

  admitted: "Admitted",
  ownerBusy: "OwnerBusy",
  capacityReached: "CapacityReached",
  pullSecretMissing: "PullSecretMissing",

  created: "Created",
  notNeeded: "NotNeeded",
  previousTerminating: "PreviousTerminating",
  leftOver: "LeftOver",
  nameConflict: "NameConflict",
  kindMissing: "KindMissing",
  routeNotAccepted: "RouteNotAccepted",
  revisionLost: "RevisionLost",

  // Why the API server did not take an object, or did not delete it.
  manifestRefused: "ManifestRefused",
  quotaExceeded: "QuotaExceeded",
  forbidden: "Forbidden",
  refused: "Refused",
  tooManyRequests: "TooManyRequests",
  serverError: "ServerError",

  ready: "Ready",
  waitingForPods: "WaitingForPods",
  imageCannotBePulled: "ImageCannotBePulled",
  containerCrashes: "ContainerCrashes",
  containerCannotStart: "ContainerCannotStart",
  outOfMemory: "OutOfMemory",
  outOfDisk: "OutOfDisk",
  evicted: "Evicted",
  noNodeFits: "NoNodeFits",
  podsRefused: "PodsRefused",
  podsMissing: "PodsMissing",

  terminating: "Terminating",
  stoppingWorkload: "StoppingWorkload",
  namespaceStuck: "NamespaceStuck",
  gone: "Gone",
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** Reasons of entries in `status.history`. */
export const historyReasons = {
  started: "Started",
  admitted: "Admitted",
  renewed: "Renewed",
  renewalRefused: "RenewalRefused",
  /** `until` was set, or moved to an earlier time, while the instance lives. */
  limited: "Limited",
  /** `spec.timeout` was changed while the instance lives. */
  timeoutChanged: "TimeoutChanged",
  timeoutRefused: "TimeoutRefused",
} as const;

export const eventReasons = {
  creating: "InstanceCreating",
  ready: "InstanceReady",
  terminating: "InstanceTerminating",
  failed: "InstanceFailed",
  waiting: "InstanceWaiting",
  challengeMissing: "ChallengeMissing",
  flagMissing: "FlagMissing",
  unhealthy: "InstanceUnhealthy",
  healthy: "InstanceHealthy",
  renewed: "InstanceRenewed",
  renewalRefused: "RenewalRefused",
  restarted: "InstanceRestarted",
  /** Not by a renewal. */
  expiryMoved: "InstanceExpiryMoved",
  timeoutRefused: "TimeoutRefused",
  expiringSoon: "InstanceExpiringSoon",
  imageCannotBePulled: "ImageCannotBePulled",
  kindMissing: "KindMissing",
  routeNotAccepted: "RouteNotAccepted",
  privileged: "PrivilegedNamespace",
  refused: "ObjectRefused",
  repaired: "ObjectRepaired",
  namespaceStuck: "NamespaceStuck",
} as const;

/** Why an instance ends: `This instance ends because …`, and `Terminating due to …`. */
export const endings: Record<TerminationReason, { because: string; dueTo: string }> = {
  UserRequest: { because: "its owner asked for it", dueTo: "the request of its owner" },
  Timeout: { because: "its time is up", dueTo: "the end of its time" },
  AdminTermination: { because: "an administrator decided so", dueTo: "the decision of an administrator" },
  Failure: { because: "it has failed", dueTo: "a failure" },
};
