/**
 * How players reach pods of one machine: Gateways and their routes, and NodePorts.
 *
 * Folders in the order of the flow: crds (the kinds, where nobody else brings them) → hostnames → routing (pure: who
 * gets what) → control (watches, and says what became of each) → proxy (carries bytes). Beside them: node-ports. Around
 * all of it: thread, where it should share a process and no more.
 */
export * from "./control/gateway.ts";
export { type Crd, gatewayCrds } from "./crds/crds.ts";
export { type InstallOptions, installGatewayKinds } from "./crds/install.ts";
export * from "./node-ports/node-ports.ts";
export type { CertificateFor, CertificatePair } from "./proxy/certificate-contexts.ts";
export { defaultLimits, type Limits } from "./proxy/limits.ts";
export type { Running } from "./running.ts";
export { type GatewayThreadOptions, startGatewayThread } from "./thread/gateway-thread.ts";
export { certificateOption, controllerName, issuedHere } from "./vocabulary.ts";
