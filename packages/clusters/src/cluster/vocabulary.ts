/** Everything that is said about a Cluster: its conditions, their reasons and texts, events. */
import { accessNamespace } from "../vocabulary.ts";

/** Who owns what is written. */
export const fieldManager = "berg-clusters";

export const conditionTypes = {
  subscriptionReady: "SubscriptionReady",
  shootCreated: "ShootCreated",
  /** Whether Gardener has accepted the Shoot as the Cluster asks for it now. */
  shootUpToDate: "ShootUpToDate",
  clusterProvisioned: "ClusterProvisioned",
  clusterHealthy: "ClusterHealthy",
  oidcConfigured: "OIDCConfigured",
  administratorsConfigured: "AdministratorsConfigured",
  reachable: "Reachable",
  deprovisioned: "Deprovisioned",
} as const;

export const reasons = {
  // Of SubscriptionReady
  bound: "Bound",
  waiting: "WaitingForSubscription",
  requestTaken: "SubscriptionNameTaken",
  previousGoes: "PreviousSubscriptionTerminating",
  // Of ShootCreated and ClusterProvisioned
  created: "Created",
  creating: "Creating",
  nameConflict: "NameConflict",
  shootMissing: "ShootMissing",
  shootUnmarked: "ShootUnmarked",
  invalidName: "InvalidShootName",
  unknownProvider: "UnknownProvider",
  unknownProfile: "UnknownCloudProfile",
  unknownRegion: "UnknownRegion",
  unknownZone: "UnknownZone",
  tooFewZones: "TooFewZones",
  unknownMachineType: "UnknownMachineType",
  invalidNetworking: "InvalidNetworking",
  provisioned: "Provisioned",
  provisioning: "Provisioning",
  externallyProvided: "ExternallyProvided",
  // Of ShootUpToDate
  upToDate: "UpToDate",
  suspended: "Suspended",
  // Of ClusterHealthy
  healthy: "Healthy",
  settling: "Settling",
  hibernated: "Hibernated",
  unhealthy: "Unhealthy",
  shootDeleting: "ShootDeleting",
  unknown: "Unknown",
  operationError: "OperationError",
  operationFailed: "OperationFailed",
  // Of OIDCConfigured and AdministratorsConfigured
  configured: "Configured",
  configuring: "Configuring",
  notConfigured: "NotConfigured",
  invalidIssuer: "InvalidIssuer",
  authenticationTaken: "ConfigMapNameTaken",
  waitingForCluster: "WaitingForCluster",
  bindingTaken: "BindingNameTaken",
  targetFailing: "TargetFailing",
  // Of Reachable
  reachable: "Reachable",
  expiresSoon: "CredentialsExpireSoon",
  // Of Deprovisioned
  deleting: "Deleting",
  deleted: "Deleted",
  retained: "Retained",
  shootLeft: "ShootLeft",
  revokingAccess: "RevokingKubeconfigs",
  awaitingApproval: "AwaitingApproval",
  deletionFailed: "DeletionFailed",
  releasing: "ReleasingSubscription",
} as const;

/** Each says what to do where there is something to do, and nothing that changes from look to look. */
export const texts = {
  bound: (binding: string) => `The account ${binding} pays`,
  waiting: "Waits for an account: see the SubscriptionRequest of the same name",
  requestTaken: (name: string) =>
    `A SubscriptionRequest ${name} is there already, and was not made for this Cluster: delete it, or give the Cluster another name`,
  previousGoes: (name: string) =>
    `Waits until the SubscriptionRequest ${name} of an earlier Cluster of this name has given back its account`,
  created: (shoot: string) => `The Shoot ${shoot} is there`,
  creating: "The Shoot is about to be created",
  nameConflict: (shoot: string) =>
    `A Shoot ${shoot} is there already, and was not made for this Cluster: it is left alone. Delete this Cluster, and create one with another core.shootName`,
  shootUnmarked: (shoot: string, mark: string) =>
    `Somebody has taken our annotations off the Shoot ${shoot}, which was made for this Cluster: it is left alone. Annotate the Shoot with ${mark} to go on`,
  shootMissing: (shoot: string, uid: string, recreate: string) =>
    `Somebody has deleted the Shoot ${shoot}, and the cluster with everything in it. It is not made anew unasked: annotate this Cluster with ${recreate}=${uid} for a new, empty one, or delete it`,
  shootReplaced: (shoot: string, uid: string, recreate: string) =>
    `The Shoot ${shoot} is not the one that was made for this Cluster: somebody has replaced it. Annotate this Cluster with ${recreate}=${uid} to take it over, or delete this Cluster, which leaves the Shoot alone`,
  nameTooLong: (shoot: string, project: string, longest: number) =>
    `Gardener allows ${longest} characters for the project and the Shoot together; ${project} and ${shoot} have ${project.length + shoot.length}: create the Cluster anew with a shorter core.shootName`,
  unknownProvider: (provider: string, known: readonly string[]) =>
    `The provider ${provider} is unknown: use one of ${known.join(", ")}`,
  unknownProfile: (name: string, known: readonly string[]) =>
    `Gardener has no CloudProfile ${name}: name another in core.cloudProfile (${listed(known)}), or have it made`,
  profileOfOther: (name: string, type: string, provider: string) =>
    `The CloudProfile ${name} is for ${type}, and the Cluster for ${provider}: name another in core.cloudProfile`,
  unknownRegion: (region: string, profile: string, known: readonly string[]) =>
    `The CloudProfile ${profile} has no region ${region}, and the region of a Cluster cannot be changed: create it anew with one of ${listed(known)}`,
  unknownZone: (zone: string, region: string, known: readonly string[]) =>
    `The region ${region} has no zone ${zone}: name others in infrastructure.zones, such as ${listed(known)}`,
  tooFewZones: (region: string, has: number, wanted: number) =>
    `The region ${region} has ${has} zones and the Cluster asks for ${wanted}: lower infrastructure.numberOfZones, or create the Cluster anew in another region`,
  unknownMachineType: (type: string, profile: string, known: readonly string[]) =>
    `The CloudProfile ${profile} has no machine type ${type}: set infrastructure.machineType to one of ${listed(known)}`,
  noRange: (field: string, value: string) =>
    `infrastructure.networking.${field} is ${value}: it must be a range of IPv4 addresses with nothing behind its prefix, such as 10.250.0.0/16. Create the Cluster anew`,
  overlapping: (one: string, other: string) =>
    `infrastructure.networking.${one} and ${other} overlap: create the Cluster anew with ranges that do not`,
  noRoom: (problem: string) =>
    `infrastructure.networking.nodes has too little room: ${problem}. Lower infrastructure.numberOfZones where zones are too many; else create the Cluster anew`,
  provisioned: "The cluster is there",
  provisioning: "Gardener makes the cluster",
  notYetWell: (why: string) => `Gardener has made the cluster, which counts as ready when all of it is well: ${why}`,
  externallyProvided: "The cluster was brought along",
  upToDate: "Gardener has been told all that this Cluster asks for",
  keepsNewer: (kept: readonly string[]) =>
    `Gardener has been told all that this Cluster asks for, but there is no way back to what is older: ${kept.join("; ")}`,
  runsNewer: (field: string, asked: string, live: string) => `${field} is ${asked}, and it runs ${live}`,
  suspended: (annotation: string) =>
    `Nothing is written to the Shoot while this Cluster has the annotation ${annotation}: remove it to go on`,
  healthy: "All is well",
  settling: "Gardener is at work on the cluster",
  hibernated: "The cluster is hibernated: wake the Shoot up in Gardener to use it",
  unhealthy: (types: readonly string[], why: string) => `${types.join(", ")}: ${why}`,
  shootDeleting: (shoot: string) =>
    `Somebody deletes the Shoot ${shoot}, and the cluster with everything in it. This Cluster did not ask for it: delete it, too, or see what it says when the Shoot is gone`,
  unknown: (types: readonly string[]) => `Gardener does not know about ${types.join(", ")}`,
  progressing: (types: readonly string[]) => `Gardener gives time to ${types.join(", ")}`,
  notLookedAt: "Gardener has not looked at the cluster yet",
  operationError: (why: string) => `Gardener meets errors, and tries again by itself: ${why}`,
  retried: (why: string) => `Gardener has given up, and is asked to try again in a while: ${why}`,
  gaveUp: (why: string, retries: number) =>
    `Gardener has given up, after ${retries} retries: ${why}. Change the spec, or annotate the Shoot with gardener.cloud/operation=retry`,
  userError: (why: string) =>
    `Gardener has given up: ${why}. Correct the account or the spec; then change the spec, or annotate the Shoot with gardener.cloud/operation=retry`,
  asksAgain: (shoot: string, time: number) =>
    `Gardener was asked to try again with the Shoot ${shoot}: ${time} of 3 times`,
  configured: (user: string) =>
    `The API server accepts tokens of the issuer. Users are called ${user}: name them so in administrators and bindings`,
  algorithmsUnused: "It accepts every algorithm that Kubernetes supports: oidcConfig.signingAlgs has no effect",
  telling: "The API server is about to be told of the issuer",
  notConfigured: "No issuer is asked for",
  invalidIssuer: (problem: string) =>
    `oidcConfig.issuerURL ${problem}: set the https address of the issuer. Until then sign-in stays as it is`,
  authenticationTaken: (name: string) =>
    `A ConfigMap ${name} is there in the garden already, and was not made for this Cluster: delete it`,
  administrators: (count: number) => `${count === 1 ? "1 user is" : `${count} users are`} cluster-admin`,
  waitingForCluster: "Waits until the cluster is there",
  waitingForReady: "Waits until the cluster is ready for the first time",
  configuring: "The administrators are about to be set",
  bindingTaken: (name: string) =>
    `A ClusterRoleBinding ${name} is there in the cluster already, and was not made for this Cluster: delete it`,
  targetFailing: (why: string) => `The API server of the cluster refuses the bindings (${why}): it is tried again`,
  reachable: "The API server answers, and the kubeconfig is an administrator's",
  expiresSoon: (time: string) =>
    `The credentials in the kubeconfig expire at ${time}: put a new kubeconfig into the Secret`,
  deleting: "Gardener deletes the cluster",
  confirming: "The Shoot is about to be deleted",
  retained: "The Shoot and its account were left alone, as deletionPolicy says",
  deleted: "Nothing is left",
  shootLeft: (shoot: string) =>
    `The Shoot ${shoot} was made for this Cluster, and somebody has taken our annotations off it: it was left alone, and costs money. Delete it in Gardener`,
  revokingAccess: (minutes: number) =>
    `Waits until kubeconfigs of the cluster are revoked, for ${minutes} minutes at most: see its KubeconfigRequests`,
  awaitingApproval:
    "Gardener refuses the deletion: the project asks for a second person. Somebody else must delete the Shoot, too; or give the account of the garden's kubeconfig the rights in deploy/clusters",
  releasing: "Waits until the SubscriptionRequest has given back its account",
  accessLeft: `Kubeconfigs of the cluster could not be revoked in an hour, and may be good until they expire: see its KubeconfigRequests. Delete their service accounts in the namespace ${accessNamespace} of the cluster`,
  bindingsLeft: (why: string) =>
    `Bindings of administrators may be left in the cluster, which could not be reached: ${why}. Delete ClusterRoleBindings whose names begin with cluster-operator:admin:`,
  administratorsLeft: (server: string, count: number) =>
    `The Secret leads to another API server now. If that is another cluster, ${count === 1 ? "one administrator stays" : `${count} administrators stay`} cluster-admin at ${server}, where nobody takes that away any more. Delete ClusterRoleBindings there whose names begin with cluster-operator:admin:`,
} as const;

export const eventReasons = {
  phase: (phase: string) => `Cluster${phase}`,
  retried: "ClusterRetried",
  orphanedAccess: "OrphanedAccessObjects",
} as const;

const mostListed = 20;

function listed(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, mostListed).join(", ");
  if (names.length === 0) return "it has none";
  return names.length > mostListed ? `${shown}, …` : shown;
}
