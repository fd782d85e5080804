/**
 * Tunnels: containers on a network reach the servers on the host that a ContainerNetworkTunnelProxy names, and no others.
 *
 * Folders in the order in which data flows: protocol (what the proxies say to each other) → streams (the bytes) →
 * pair (what both programs need) → client-proxy, server-proxy (the two programs) → image (of the first) → networks, proxies (the controllers).
 */
export { takeLockNow } from "./image/lock.ts";
export { addNetworkControllers, type NetworkControllersOptions } from "./networks/networks.ts";
export type { Guests } from "./proxies/lifecycle/surroundings.ts";
export {
  startTunnelController,
  type TunnelController,
  type TunnelControllerOptions,
} from "./proxies/tunnel-controller.ts";
