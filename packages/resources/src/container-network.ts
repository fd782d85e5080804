/**
 * ContainerNetwork: a network of Docker or Podman as an object, so that tunnels can name it and its state can be watched.
 * Networks of challenge namespaces show up as ContainerNetworks of the mode `existing`.
 */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { list, text } from "./fields.ts";
import { immutable, ruled } from "./rules.ts";

export const containerNetworkModes = ["session", "persistent", "existing"] as const;

export const containerNetworkStates = ["Pending", "Running", "FailedToStart", "Removed", "NotFound"] as const;

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const containerNetworkStatusLimits = { message: 4096, subnets: 16, gateways: 16, containers: 1024 } as const;

export const containerNetworkSpec = ruled(
  z.strictObject({
    networkName: text({
      min: 1,
      max: 128,
      pattern: /^[a-zA-Z0-9][-a-zA-Z0-9_.]*$/,
      must: "must be letters, digits, '-', '_' and '.', starting with a letter or digit",
    })
      .describe(
        "Name of the network in the container engine. May be left out with the mode session: one is made up. It cannot be changed.",
      )
      .exactOptional(),
    ipv6: ruled(z.boolean(), immutable("ipv6"))
      .describe("Whether a network that is made has IPv6 addresses too. It cannot be changed.")
      .default(false),
    mode: ruled(z.enum(containerNetworkModes), immutable("mode"))
      .describe(
        "Whose the network is. session: made for this object and removed with it. persistent: made if it is not there, and never removed. existing: somebody else's; it is waited for, and neither made nor removed. It cannot be changed.",
      )
      .default("session"),
  }),
  {
    cel: "self.mode == 'session' || has(self.networkName)",
    message: "networkName is required, except with the mode session",
    field: "networkName",
    holds: ({ mode, networkName }) => mode === "session" || networkName !== undefined,
  },
  {
    cel: "has(self.networkName) == has(oldSelf.networkName) && (!has(self.networkName) || self.networkName == oldSelf.networkName)",
    message: "networkName cannot be changed",
    field: "networkName",
    holds: (self, before) => self.networkName === before.networkName,
  },
).describe("Which network it is, and whose.");

const address = (what: string) => text({ max: 64 }).describe(what);

export const containerNetworkStatus = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    state: z
      .enum(containerNetworkStates)
      .describe(
        "How the network is. Pending: not looked at or not made yet. Running: it is there. FailedToStart: it cannot be made. Removed: it was there, and somebody has removed it. NotFound: it is not there, and is waited for.",
      )
      .exactOptional(),
    message: text({ max: containerNetworkStatusLimits.message })
      .describe("Why it is in this state, in plain words.")
      .exactOptional(),
    id: text({ max: 128 }).describe("ID of the network in the container engine.").exactOptional(),
    networkName: text({ max: 253 }).describe("Name of the network in the container engine.").exactOptional(),
    driver: text({ max: 128 }).describe("Driver of the network, such as bridge.").exactOptional(),
    ipv6: z.boolean().describe("Whether the network has IPv6 addresses.").exactOptional(),
    subnets: list(address("One subnet, such as 10.89.0.0/24."), containerNetworkStatusLimits.subnets)
      .describe("Subnets of the network.")
      .exactOptional(),
    gateways: list(address("One address, such as 10.89.0.1."), containerNetworkStatusLimits.gateways)
      .describe("Addresses of the host on the network.")
      .exactOptional(),
    containers: list(text({ max: 128 }).describe("ID of one container."), containerNetworkStatusLimits.containers)
      .describe("Containers on the network.")
      .exactOptional(),
  })
  .describe("What has become of the network. Written by Berg alone.");

export type ContainerNetworkSpec = z.output<typeof containerNetworkSpec>;
export type ContainerNetworkStatus = z.output<typeof containerNetworkStatus>;
export type ContainerNetworkMode = (typeof containerNetworkModes)[number];
export type ContainerNetworkState = (typeof containerNetworkStates)[number];

/** As the API server returns it: every default is filled in. */
export interface ContainerNetwork extends KubeObject {
  spec: ContainerNetworkSpec;
  status?: ContainerNetworkStatus;
}
