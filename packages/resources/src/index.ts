/**
 * Berg's custom resources. One zod schema per kind is the source of its TypeScript type, its CustomResourceDefinition
 * (`crds/`, generated) and its validation without a server.
 *
 * Reading order: challenge, challenge-instance, competition, page, container-network, container-network-tunnel-proxy, cluster,
 * subscription-request, kubeconfig-request (the schemas) → structural → crd → generate; validate and stored-challenge beside it.
 */
export type {
  AdditionalFlag,
  Challenge,
  ChallengeContainer,
  ChallengePort,
  ChallengeResources,
  ChallengeScoring,
  ChallengeSpec,
  DynamicFlag,
  EnvironmentValue,
  FileMode,
} from "./challenge.ts";
export { dynamicFlagModes, flagTypes, portTypes } from "./challenge.ts";
export type {
  ChallengeInstance,
  ChallengeInstanceSpec,
  ChallengeInstanceStatus,
  ExpiryChange,
  InstancePhase,
  InstanceRuntime,
  InstanceService,
  TerminationReason,
} from "./challenge-instance.ts";
export { phases, statusLimits, terminationReasons } from "./challenge-instance.ts";
export { environmentText, fileModeBits, transportProtocol } from "./challenge-values.ts";
export type { Cluster, ClusterCore, ClusterOidcConfig, ClusterPurpose, ClusterSpec } from "./cluster.ts";
export { clusterPurposes } from "./cluster.ts";
export { Clusters, KubeconfigRequests, SubscriptionRequests } from "./cluster-definitions.ts";
export type { ClusterInfrastructure, ClusterProvider } from "./cluster-infrastructure.ts";
export { clusterProviders } from "./cluster-infrastructure.ts";
export type { ClusterPhase, ClusterStatus } from "./cluster-status.ts";
export { clusterPhases, clusterStatusLimits } from "./cluster-status.ts";
export type {
  Competition,
  CompetitionScoring,
  CompetitionSpec,
  PlayerAttribute,
} from "./competition.ts";
export {
  afterEndModes,
  boardAudiences,
  challengeAudiences,
  competitionDefaults,
  instanceOwners,
  registrationModes,
} from "./competition.ts";
export { conditionLimits } from "./conditions.ts";
export type {
  ContainerNetwork,
  ContainerNetworkMode,
  ContainerNetworkSpec,
  ContainerNetworkState,
  ContainerNetworkStatus,
} from "./container-network.ts";
export { containerNetworkStates, containerNetworkStatusLimits } from "./container-network.ts";
export type {
  ContainerNetworkTunnelProxy,
  ContainerNetworkTunnelProxySpec,
  ContainerNetworkTunnelProxyStatus,
  TunnelProxyState,
  TunnelStatus,
} from "./container-network-tunnel-proxy.ts";
export {
  defaultTunnelBaseImage,
  tunnelProxyStates,
  tunnelProxyStatusLimits,
  tunnelStates,
} from "./container-network-tunnel-proxy.ts";
export { type CustomResourceDefinition, clusterResourceDefinitions, customResourceDefinitions } from "./crd.ts";
export {
  ChallengeInstances,
  Challenges,
  Competitions,
  ContainerNetworks,
  ContainerNetworkTunnelProxies,
  Pages,
} from "./definitions.ts";
export { countedFrom, historyReasons, lastCounted } from "./expiry-history.ts";
export { type FieldError, type FieldPath, fieldName, formatFieldError } from "./field-error.ts";
export { compileFlagPattern, FlagPatternError } from "./flag-pattern.ts";
export { generatedClusterFiles, generatedFiles } from "./generate.ts";
export { newInstanceId } from "./instance-id.ts";
export { isEnding } from "./is-ending.ts";
export type {
  KubeconfigPhase,
  KubeconfigPolicyRule,
  KubeconfigRequest,
  KubeconfigRequestSpec,
  KubeconfigRequestStatus,
} from "./kubeconfig-request.ts";
export { kubeconfigPhases, kubeconfigStatusLimits } from "./kubeconfig-request.ts";
export { flagEntropyBits, needsFlag, newFlag, type RandomBytes } from "./new-flag.ts";
export type { Page, PageSpec } from "./page.ts";
export { type ScoringFormula, scoringFormulas } from "./scoring.ts";
export { readChallenge, readStoredChallenge, type StoredChallenge } from "./stored-challenge.ts";
export type {
  SubscriptionPhase,
  SubscriptionRequest,
  SubscriptionRequestSpec,
  SubscriptionRequestStatus,
} from "./subscription-request.ts";
export { subscriptionPhases, subscriptionProviders } from "./subscription-request.ts";
export { imageReasons, isOverItsDisk, startReasons, troubleTexts } from "./trouble-texts.ts";
export { maxTunnels, type TunnelConfiguration } from "./tunnel-configuration.ts";
export {
  type Validation,
  validateChallenge,
  validateChallengeInstance,
  validateCompetition,
  validatePage,
} from "./validate.ts";
export * from "./vocabulary.ts";
