/**
 * Removes whatever there is of a pair, from what the engine and the host say alone: it works for a pair that this process
 * has started, for one of an earlier process, and for half of one. It may be done again.
 *
 * In this order: its tunnels, its container, its process, its management network. Its directory, with the log files, is
 * removed when the object is gone.
 */
import { rm } from "node:fs/promises";
import { sleep } from "@berg/kube";
import { type PairSurroundings, pairDirectory, pairLabels, startDirectories } from "./surroundings.ts";

/** Proxies that do not answer are ended all the same. */
const shutdownMs = 5_000;

export async function cleanUp(
  uid: string,
  /** What is known to have been its container, though the engine may have removed it already. */
  knownContainer: string | undefined,
  around: PairSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const { engine, programs, guests } = around;
  const directories = await startDirectories(around, uid);
  const servers = (await Promise.all(directories.map((one) => programs.find(one)))).filter(
    (found) => found !== undefined,
  );
  for (const { socket } of servers) await shutDown(socket, around, signal);
  const labels = pairLabels(around, uid);
  const containers = await engine.listContainers(labels, signal);
  for (const id of new Set([...containers.map((one) => one.id), ...(knownContainer ? [knownContainer] : [])])) {
    await engine.removeContainer(id, signal);
    await guests?.left(id);
  }
  for (const server of servers) await programs.stop(server);
  // By its name: Podman looks for containers on it under that, and finds none under its id.
  for (const { name } of await engine.listNetworks(labels, signal)) await engine.removeNetwork(name, signal);
}

/** All streams and tunnels end. */
async function shutDown(socket: string, { programs, clock }: PairSurroundings, signal: AbortSignal): Promise<void> {
  using control = programs.connect(socket);
  const over = new AbortController();
  const limit = AbortSignal.any([signal, over.signal]);
  const late = sleep(clock, shutdownMs, limit).then(
    () => over.abort(),
    () => {},
  );
  // A server proxy that does not answer is stopped by its number.
  await control.shutdown(limit).catch(() => {});
  over.abort();
  await late;
}

export async function removeFiles(uid: string, around: Pick<PairSurroundings, "directory">): Promise<void> {
  await rm(pairDirectory(around, uid), { recursive: true, force: true });
}
