/** What is left of pairs whose object is gone: a controller was killed, and the object went before the next one came. */
import { readdir } from "node:fs/promises";
import { engineLabels } from "../../vocabulary.ts";
import { cleanUp, removeFiles } from "./clean-up.ts";
import { isUid, type PairSurroundings, pairLabels, pairsDirectory } from "./surroundings.ts";

/** `isThere`: whether there is an object of this UID; asked when everything that may be left has been listed. */
export async function removeLeftovers(
  isThere: (uid: string) => boolean,
  around: PairSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const { engine, log } = around;
  const labels = pairLabels(around);
  const [containers, networks, directories] = await Promise.all([
    engine.listContainers(labels, signal),
    engine.listNetworks(labels, signal),
    readdir(pairsDirectory(around)).catch((): string[] => []),
  ]);
  const labelled = [...containers, ...networks].flatMap((thing) => thing.labels[engineLabels.proxyUid] ?? []);
  const found = [...new Set([...labelled, ...directories])];
  const strange = found.filter((uid) => !isUid(uid));
  if (strange.length > 0)
    log.warn({ found: strange }, "there are labels or directories of tunnel proxies with no UID in them; left alone");
  for (const uid of found) {
    if (!isUid(uid) || isThere(uid)) continue;
    log.info({ uid }, "removing what was left of a tunnel proxy that is gone");
    await cleanUp(uid, undefined, around, signal);
    await removeFiles(uid, around);
  }
}
