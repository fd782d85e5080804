/** Networks, one bridge each: made, looked at and removed. network-members.ts has who is on them. */
import type { Labels, Network, NetworkCreate } from "./engine.ts";
import { filtersOf } from "./filters.ts";
import { mannerOf } from "./network-manners.ts";
import type { Session } from "./session.ts";

export async function createNetwork(session: Session, network: NetworkCreate, signal?: AbortSignal) {
  const what = `create network ${network.name}`;
  const { prefix, wanted } = await mannerOf(session, what, signal);
  const isOpen = network.internal && (await usesCni(session, what, prefix, signal));
  const json = wanted(isOpen ? { ...network, internal: false } : network);
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

/** Podman's old way to make networks. It leaves the host off an internal one, who then reaches nobody on it. */
async function usesCni(session: Session, what: string, prefix: string | undefined, signal?: AbortSignal) {
  if (prefix === undefined) return false;
  const { body } = await session.send({ what, method: "GET", prefix, path: "/info", signal });
  return (body as { host?: { networkBackend?: string } }).host?.networkBackend === "cni";
}
