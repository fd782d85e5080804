/**
 * How each engine speaks of networks. Podman is asked in its own API, for only that says how its bridge is called and
 * leaves out its DNS. Pure but for the question which engine it is.
 */
import { createHash } from "node:crypto";
import type { Labels, Network, NetworkCreate } from "./engine.ts";
import type { Session } from "./session.ts";

/** Where an engine keeps its networks, and in which words. */
interface Manner {
  /** In place of Docker's. */
  prefix?: string;
  listed: string;
  one(name: string): string;
  wanted(network: NetworkCreate): unknown;
  read(answer: unknown): Network;
}

export async function mannerOf(session: Session, what: string, signal?: AbortSignal): Promise<Manner> {
  return (await session.dialect(what, signal)).name === "podman" ? podman : docker;
}

const bridgeOption = "com.docker.network.bridge.name";

interface DockerNetwork {
  Id: string;
  Name: string;
  Driver?: string;
  Internal?: boolean;
  EnableIPv6?: boolean;
  Labels?: Labels | null;
  Options?: Readonly<Record<string, string>> | null;
  IPAM?: { Config?: readonly { Subnet?: string; Gateway?: string }[] | null } | null;
}

const docker: Manner = {
  listed: "/networks",
  one: (name) => `/networks/${name}`,
  wanted: ({ name, labels, subnet, gateway, bridge, internal = false, ipv6 = false }) => ({
    Name: name,
    // Else Docker makes a second one of that name.
    CheckDuplicate: true,
    Driver: "bridge",
    Internal: internal,
    EnableIPv6: ipv6,
    Labels: labels,
    IPAM: {
      Config: [
        ...(subnet ? [{ Subnet: subnet, Gateway: gateway }] : []),
        ...(ipv6 ? [{ Subnet: localRange(name) }] : []),
      ],
    },
    Options: bridge ? { [bridgeOption]: bridge } : {},
  }),
  read(answer) {
    const network = answer as DockerNetwork;
    const ranges = network.IPAM?.Config ?? [];
    return {
      id: network.Id,
      name: network.Name,
      labels: network.Labels ?? {},
      driver: network.Driver ?? "",
      ...readRanges(ranges.map(({ Subnet: subnet, Gateway: gateway }) => ({ subnet, gateway }))),
      internal: network.Internal ?? false,
      ipv6: network.EnableIPv6 ?? false,
      bridge: network.Options?.[bridgeOption] ?? `br-${network.Id.slice(0, 12)}`,
    };
  },
};

interface PodmanNetwork {
  id: string;
  name: string;
  driver?: string;
  internal?: boolean;
  ipv6_enabled?: boolean;
  labels?: Labels | null;
  network_interface?: string;
  subnets?: readonly Range[] | null;
}

const podman: Manner = {
  // The oldest that Podman 4 and 5 know.
  prefix: "/v4.0.0/libpod",
  listed: "/networks/json",
  one: (name) => `/networks/${name}/json`,
  wanted: ({ name, labels, subnet, gateway, bridge, internal = false, ipv6 = false }) => ({
    name,
    labels,
    driver: "bridge",
    network_interface: bridge,
    internal,
    ipv6_enabled: ipv6,
    subnets: subnet ? [{ subnet, gateway }] : [],
    dns_enabled: false,
  }),
  read(answer) {
    const network = answer as PodmanNetwork;
    return {
      id: network.id,
      name: network.name,
      labels: network.labels ?? {},
      driver: network.driver ?? "",
      ...readRanges(network.subnets ?? []),
      internal: network.internal ?? false,
      ipv6: network.ipv6_enabled ?? false,
      bridge: network.network_interface ?? "",
    };
  },
};

interface Range {
  subnet?: string | undefined;
  gateway?: string | undefined;
}

function readRanges(ranges: readonly Range[]) {
  return {
    subnet: ranges[0]?.subnet ?? "",
    gateway: ranges[0]?.gateway ?? "",
    subnets: ranges.flatMap(({ subnet }) => subnet || []),
    // Docker may write the subnet's length behind it.
    gateways: ranges.flatMap(({ gateway }) => gateway?.replace(/\/\d+$/, "") || []),
  };
}

/** Docker before 27 has no IPv6 ranges to choose from. One for local use, by the name: `fd5c:…::/64`. */
function localRange(name: string): string {
  const digits = createHash("sha256").update(name).digest("hex");
  return `fd${digits.slice(0, 2)}:${digits.slice(2, 6)}:${digits.slice(6, 10)}:${digits.slice(10, 14)}::/64`;
}
