/**
 * ContainerNetworkTunnelProxy: a pair of proxies, one on the host and one on a container network, through which
 * containers reach the servers on the host that its tunnels name, and no others.
 */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { list, microTime, objectName, text } from "./fields.ts";
import { immutable, ruled } from "./rules.ts";
import { maxTunnels, tunnelConfigurations } from "./tunnel-configuration.ts";

export const defaultTunnelBaseImage = "mcr.microsoft.com/azurelinux/base/core:3.0";

/** The empty one is as good as Pending: nobody has looked at the object yet. */
export const tunnelProxyStates = ["", "Pending", "BuildingImage", "Starting", "Running", "Failed"] as const;

export const tunnelStates = ["Ready", "Failed"] as const;

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const tunnelProxyStatusLimits = { message: 4096, errorMessage: 512, clientProxyAddresses: 16 } as const;

export const containerNetworkTunnelProxySpec = z
  .strictObject({
    containerNetworkName: ruled(objectName(), immutable("containerNetworkName")).describe(
      "Name of the ContainerNetwork whose containers use the tunnels. It cannot be changed.",
    ),
    tunnels: tunnelConfigurations
      .describe(
        "The tunnels. They can be added, changed and removed at any time; one that is changed is closed gracefully and made anew.",
      )
      .default([]),
    baseImage: ruled(
      text({
        min: 1,
        max: 512,
        pattern: /^[a-zA-Z0-9][-a-zA-Z0-9._:/@]*$/,
        must: `must be the name of an image, such as ${defaultTunnelBaseImage}`,
      }),
      immutable("baseImage"),
    )
      .describe("Image on which that of the client proxy is built. It cannot be changed.")
      .default(defaultTunnelBaseImage),
  })
  .describe("Which network, and which servers are to be reached from it.");

const port = () => z.int().min(1).max(65535);

const tunnelStatus = z
  .strictObject({
    name: text({ min: 1, max: 63 }).describe("Name of the tunnel, as the spec has it."),
    tunnelId: z
      .int()
      .min(1)
      .max(0xffff_ffff)
      .describe("Number of the tunnel within the pair. One that is made anew has another.")
      .exactOptional(),
    state: z.enum(tunnelStates).describe("Ready: clients can connect. Failed: errorMessage says why they cannot."),
    errorMessage: text({ max: tunnelProxyStatusLimits.errorMessage })
      .describe("Why it could not be made, or its server cannot be reached, in plain words.")
      .exactOptional(),
    timestamp: microTime().describe("When this was found, to the microsecond."),
    clientProxyAddresses: list(text({ max: 64 }).describe("One address."), tunnelProxyStatusLimits.clientProxyAddresses)
      .describe("Addresses on the container network at which the tunnel is entered.")
      .exactOptional(),
    clientProxyPort: port().describe("Port on the container network at which the tunnel is entered.").exactOptional(),
  })
  .describe("What has become of one tunnel.");

export const containerNetworkTunnelProxyStatus = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    state: z
      .enum(tunnelProxyStates)
      .describe(
        "How the pair is. Pending or empty: it waits for its network or for the container engine. BuildingImage: the image of the client proxy is built. Starting: the proxies are started. Running: the tunnels can be used, but for those whose own state is Failed. Failed: it could not be started, or has ended; it does not come back.",
      )
      .default("Pending"),
    message: text({ max: tunnelProxyStatusLimits.message })
      .describe("Why it is in this state, in plain words.")
      .exactOptional(),
    tunnelStatuses: list(tunnelStatus, maxTunnels).describe("What has become of each tunnel.").exactOptional(),
    tunnelConfigurationVersion: z
      .int()
      .min(0)
      .max(0x7fff_ffff)
      .describe(
        "Grows by one whenever changed tunnels have taken effect, so that whoever changes them can wait for it.",
      )
      .exactOptional(),
    clientProxyContainerId: text({ max: 128 }).describe("ID of the container of the client proxy.").exactOptional(),
    serverProxyProcessId: z.int().min(1).describe("Process ID of the server proxy on the host.").exactOptional(),
    serverProxyStartupTimestamp: microTime()
      .describe("When that process was started: with its ID it tells the process from any later one.")
      .exactOptional(),
    serverProxyStdOutFile: text({ max: 4096 })
      .describe("Path of the file with what the server proxy writes to its standard output.")
      .exactOptional(),
    serverProxyStdErrFile: text({ max: 4096 })
      .describe("Path of the file with what the server proxy writes to its standard error: its log.")
      .exactOptional(),
    clientProxyControlPort: port()
      .describe("Port of the client proxy to which the server proxy connects for control.")
      .exactOptional(),
    clientProxyDataPort: port()
      .describe("Port of the client proxy to which the server proxy connects for data.")
      .exactOptional(),
    serverProxyControlPort: port()
      .describe("Port at which the server proxy is controlled. Absent where it is controlled by a unix socket.")
      .exactOptional(),
  })
  .describe("What has become of the pair. Written by Berg alone.");

export type ContainerNetworkTunnelProxySpec = z.output<typeof containerNetworkTunnelProxySpec>;
export type ContainerNetworkTunnelProxyStatus = z.output<typeof containerNetworkTunnelProxyStatus>;
export type TunnelProxyState = (typeof tunnelProxyStates)[number];
export type TunnelStatus = z.output<typeof tunnelStatus>;

/** As the API server returns it: every default is filled in. */
export interface ContainerNetworkTunnelProxy extends KubeObject {
  spec: ContainerNetworkTunnelProxySpec;
  status?: ContainerNetworkTunnelProxyStatus;
}
