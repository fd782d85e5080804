/**
 * Every name that the tunnel gives to things on the engine, on the host and in the cluster. The next run finds by them
 * what this one has left, and people search for them: a change here is a change of contract.
 */

/** On containers and networks of the engine. Nothing without `node` and the right `proxyUid` is ever removed. */
export const engineLabels = {
  /** Which Berg made it: one for each data directory. */
  node: "tunnel.berg.norelect.ch/node",
  /** The UID of the ContainerNetworkTunnelProxy: unlike its name it is never used twice. */
  proxyUid: "tunnel.berg.norelect.ch/proxy-uid",
  /** For whoever looks with the engine's own commands. */
  proxyName: "tunnel.berg.norelect.ch/proxy-name",
} as const;

/** On images of the client proxy. Containers have those of their image too: so they are none of the above. */
export const imageLabels = {
  /** Which Berg built it: nothing of another's is ever removed. */
  builtBy: "tunnel.berg.norelect.ch/image-built-by",
  /** Of which version and program: its name, but for its base image. */
  madeOf: "tunnel.berg.norelect.ch/image-made-of",
} as const;

/** What the client proxy is told: nothing of it is secret. */
export const environment = {
  peer: "BERG_TUNNEL_PEER",
  management: "BERG_TUNNEL_MANAGEMENT",
  controlPort: "BERG_TUNNEL_CONTROL_PORT",
  dataPort: "BERG_TUNNEL_DATA_PORT",
  aloneSeconds: "BERG_TUNNEL_ALONE_SECONDS",
} as const;

/**
 * Where the management networks of pairs are cut from: 8192 pairs of one host proxy, one container each. The names of
 * their bridges begin with `managementBridgePrefix` of @berg/local-engine: packet rules of the node close those.
 */
export const managementPool = { range: "10.203.0.0/16", bits: 29 } as const;

export const eventReasons = {
  waiting: "TunnelProxyWaiting",
  buildingImage: "TunnelProxyBuildingImage",
  starting: "TunnelProxyStarting",
  running: "TunnelProxyRunning",
  failed: "TunnelProxyFailed",
  adopted: "TunnelProxyAdopted",
  tunnelFailed: "TunnelFailed",
  serverUnreachable: "ServerUnreachable",
  disconnected: "ProxiesDisconnected",
  connected: "ProxiesConnected",
} as const;

export const metricNames = {
  proxies: "berg_tunnel_proxies",
  tunnels: "berg_tunnels",
  openStreams: "berg_tunnel_open_streams",
} as const;

/** Of `status.message` and of events. Each says what to do where there is something to do. */
export const texts = {
  networkMissing: (name: string) => `Waits for the ContainerNetwork ${name}, which is not there: create it`,
  networkNotRunning: (name: string, state: string, message: string) =>
    `Waits for the ContainerNetwork ${name}, which is ${state || "new"}${message ? `: ${message}` : ""}`,
  networkGoing: (name: string) => `The ContainerNetwork ${name} was deleted, and the proxies on it with it`,
  engineUnwell: (why: string) => `Waits for the container engine: ${why}`,
  buildingImage: (base: string) => `The client proxy's image is made on ${base}`,
  starting: "The two proxies are started",
  imageDelayed: (why: string) => `The client proxy's image could not be made, and it is tried again: ${why}`,
  imageFailed: (why: string) => `The client proxy's image could not be made: ${why}`,
  startFailed: (why: string) => `The proxies could not be started: ${why}`,
  running: "Both proxies run",
  adopted: "Both proxies still run, and were taken over from an earlier controller",
  outOfTouch: (why: string) => `The two proxies have lost each other and try again; open streams go on: ${why}`,
  serverUnreachable: (why: string) => `The server cannot be reached: ${why}`,
  stopped: "Berg was stopped, and the proxies with it",
  stoppedUnclean: (why: string) =>
    `Berg was stopped; what is left of the proxies goes when it is started again: ${why}`,
  containerGone: "The client proxy's container is gone",
  containerEnded: (exitCode: number) => `The client proxy has ended with exit code ${exitCode}`,
  containerOutOfMemory: "The client proxy was ended for lack of memory",
  processEnded: (how: string) => `The server proxy has ended (${how})`,
  lost: "The proxies were gone when the controller came back",
  pairFailed: "The proxies do not run any more",
  takeOverFailed: (why: string) => `It is not known what an earlier controller has left, and it is asked again: ${why}`,
  cleanUpFailed: (why: string) => `Not everything of the proxies could be removed, and it is tried again: ${why}`,
} as const;
