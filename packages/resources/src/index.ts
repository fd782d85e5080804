/**
 * Berg's custom resources. One zod schema per kind is the source of its TypeScript type, its CustomResourceDefinition
 * (`crds/`, generated) and its validation without a server.
 *
 * Reading order: challenge, challenge-instance, container-network, container-network-tunnel-proxy (the schemas) → structural → crd → generate; validate beside it.
 */
export type {
  Challenge,
  ChallengeContainer,
  ChallengePort,
  ChallengeResources,
  ChallengeSpec,
  DynamicFlag,
  EnvironmentValue,
  FileMode,
} from "./challenge.ts";
export { dynamicFlagModes, portTypes } from "./challenge.ts";
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
export { type CustomResourceDefinition, customResourceDefinitions } from "./crd.ts";
export { ChallengeInstances, Challenges, ContainerNetworks, ContainerNetworkTunnelProxies } from "./definitions.ts";
export { type FieldError, type FieldPath, fieldName, formatFieldError } from "./field-error.ts";
export { generatedFiles } from "./generate.ts";
export { isEnding } from "./is-ending.ts";
export { imageReasons, isOverItsDisk, startReasons, troubleTexts } from "./trouble-texts.ts";
export { maxTunnels, type TunnelConfiguration } from "./tunnel-configuration.ts";
export { type Validation, validateChallenge, validateChallengeInstance } from "./validate.ts";
export * from "./vocabulary.ts";
