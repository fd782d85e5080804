/**
 * Networks: one bridge each. Podman is asked in its own API, for only that says how its bridge is called and leaves
 * out its DNS.
 */
import type { Labels, Network, NetworkCreate } from "./engine.ts";
import { filtersOf } from "./filters.ts";
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

const bridgeOption = "com.docker.network.bridge.name";

interface DockerNetwork {
  Id: string;
  Name: string;
  Labels?: Labels | null;
  Options?: Readonly<Record<string, string>> | null;
  IPAM?: { Config?: readonly { Subnet?: string; Gateway?: string }[] | null } | null;
}

const docker: Manner = {
  listed: "/networks",
  one: (name) => `/networks/${name}`,
  wanted: ({ name, labels, subnet, gateway, bridge }) => ({
    Name: name,
    // Else Docker makes a second one of that name.
    CheckDuplicate: true,
    Driver: "bridge",
    Labels: labels,
    IPAM: { Config: [{ Subnet: subnet, Gateway: gateway }] },
    Options: { [bridgeOption]: bridge },
  }),
  read(answer) {
    const network = answer as DockerNetwork;
    const [range] = network.IPAM?.Config ?? [];
    return {
      id: network.Id,
      name: network.Name,
      labels: network.Labels ?? {},
      subnet: range?.Subnet ?? "",
      gateway: range?.Gateway ?? "",
      bridge: network.Options?.[bridgeOption] ?? `br-${network.Id.slice(0, 12)}`,
    };
  },
};

interface PodmanNetwork {
  id: string;
  name: string;
  labels?: Labels | null;
  network_interface?: string;
  subnets?: readonly { subnet?: string; gateway?: string }[] | null;
}

const podman: Manner = {
  // The oldest that Podman 4 and 5 know.
  prefix: "/v4.0.0/libpod",
  listed: "/networks/json",
  one: (name) => `/networks/${name}/json`,
  wanted: ({ name, labels, subnet, gateway, bridge }) => ({
    name,
    labels,
    driver: "bridge",
    network_interface: bridge,
    subnets: [{ subnet, gateway }],
    dns_enabled: false,
  }),
  read(answer) {
    const network = answer as PodmanNetwork;
    const [range] = network.subnets ?? [];
    return {
      id: network.id,
      name: network.name,
      labels: network.labels ?? {},
      subnet: range?.subnet ?? "",
      gateway: range?.gateway ?? "",
      bridge: network.network_interface ?? "",
    };
  },
};

export async function createNetwork(session: Session, network: NetworkCreate, signal?: AbortSignal) {
  const what = `create network ${network.name}`;
  const { prefix, wanted } = await mannerOf(session, what, signal);
  const json = wanted(network);
  const { body } = await session.send({ what, method: "POST", prefix, path: "/networks/create", json, signal });
  const { id, Id } = body as { id?: string; Id?: string };
  return { id: id ?? Id ?? "" };
}

export async function inspectNetwork(session: Session, name: string, signal?: AbortSignal) {
  const what = `inspect network ${name}`;
  const { prefix, one, read } = await mannerOf(session, what, signal);
  const body = await session.find({ what, method: "GET", prefix, path: one(encodeURIComponent(name)), signal });
  return body === undefined ? undefined : read(body);
}

export async function listNetworks(session: Session, labels: Labels, signal?: AbortSignal): Promise<Network[]> {
  const what = "list networks";
  const { prefix, listed, read } = await mannerOf(session, what, signal);
  const query = { filters: filtersOf(labels) };
  const { body } = await session.send({ what, method: "GET", prefix, path: listed, query, signal });
  return ((body ?? []) as unknown[]).map(read);
}

export async function removeNetwork(session: Session, name: string, signal?: AbortSignal): Promise<void> {
  const what = `remove network ${name}`;
  await session.find({ what, method: "DELETE", path: `/networks/${encodeURIComponent(name)}`, signal });
}

async function mannerOf(session: Session, what: string, signal?: AbortSignal): Promise<Manner> {
  return (await session.dialect(what, signal)).name === "podman" ? podman : docker;
}
