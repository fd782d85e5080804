/** One tunnel of a ContainerNetworkTunnelProxy: which server it opens, at which port, and how much of it. */
import { z } from "zod";
import { list, text } from "./fields.ts";
import { type Rule, ruled } from "./rules.ts";

export const maxTunnels = 1024;

const defaultMaxStreams = 1024;

const address = () =>
  text({
    min: 1,
    max: 253,
    pattern: /^[-a-zA-Z0-9._:%]+$/,
    must: "must be an IP address or the name of a host, such as 127.0.0.1, ::1 or localhost",
  });

const limits = z
  .strictObject({
    maxStreams: z
      .int()
      .min(1)
      .max(1_000_000)
      .describe("Most connections at the same time. Whoever comes on top is refused.")
      .default(defaultMaxStreams),
    bytesPerSecond: z
      .int()
      .min(1024)
      .max(1_000_000_000_000)
      .describe("Most bytes a second that all connections together carry, each way. Left out: no limit.")
      .exactOptional(),
    idleSeconds: z
      .int()
      .min(1)
      .max(31_536_000)
      .describe("A connection on which nothing comes or goes for so long is reset. Left out: never.")
      .exactOptional(),
  })
  .describe("How much the tunnel carries.");

const tunnel = z
  .strictObject({
    name: text({
      min: 1,
      max: 63,
      pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
      must: "must be lower-case letters, digits and '-', starting with a letter and not ending with '-'",
    }).describe(
      "Name of the tunnel, used once in a pair. Containers find its address in the environment variable <NAME>_ENDPOINT, and a Service can be called after it: hence its letters.",
    ),
    serverAddress: address()
      .describe("Address of the server, as the host knows it: clients of the tunnel are connected to it.")
      .default("localhost"),
    serverPort: z.int().min(1).max(65535).describe("Port of the server."),
    clientProxyAddress: address()
      .describe("Address on the container network at which the tunnel is entered. 0.0.0.0 is every one of the proxy's.")
      .default("0.0.0.0"),
    clientProxyPort: z
      .int()
      .min(0)
      .max(65535)
      .describe(
        "Port on the container network at which the tunnel is entered. 0: any that is free; the status says which.",
      )
      .default(0),
    limits: limits.default({ maxStreams: defaultMaxStreams }),
  })
  .describe("One server on the host that clients on the container network can reach.");

export type TunnelConfiguration = z.output<typeof tunnel>;

// Comparing each tunnel with each other one costs a thousand times a thousand: more than the server lets a rule cost. A
// map is filled in one go, and a key that comes twice is an error, which refuses the object as `false` would.
const uniqueNames: Rule<TunnelConfiguration[]> = {
  cel: "self.transformMapEntry(i, tunnel, {tunnel.name: i}).size() == self.size()",
  message: "no two tunnels can have the same name",
  holds: (tunnels) => isUnique(tunnels.map(({ name }) => name)),
};

const uniquePorts: Rule<TunnelConfiguration[]> = {
  cel: "self.transformMapEntry(i, tunnel, tunnel.clientProxyPort != 0, {'%s/%d'.format([tunnel.clientProxyAddress, tunnel.clientProxyPort]): i}).size() <= self.size()",
  message: "no two tunnels can have the same clientProxyPort at the same clientProxyAddress",
  holds: (tunnels) =>
    isUnique(
      tunnels
        .filter(({ clientProxyPort }) => clientProxyPort !== 0)
        .map(({ clientProxyAddress, clientProxyPort }) => `${clientProxyAddress}/${clientProxyPort}`),
    ),
};

function isUnique(keys: string[]): boolean {
  return new Set(keys).size === keys.length;
}

export const tunnelConfigurations = ruled(list(tunnel, maxTunnels), uniqueNames, uniquePorts);
