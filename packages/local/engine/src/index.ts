/** One client for the container engines of this machine, Docker and Podman: engine.ts is what they offer, find.ts finds one. */
export { abortable } from "./abortable.ts";
export * from "./addresses.ts";
export { connectEngine } from "./connect.ts";
export * from "./engine.ts";
export { type FoundEngine, findEngine } from "./find.ts";
export { createInFreeSubnet, type Subnet, type SubnetPool } from "./free-subnets.ts";
export { managementBridgePrefix, namespaceLabel, nodeLabel } from "./marks.ts";
export { type TarEntry, tar, tarParts } from "./tar.ts";
