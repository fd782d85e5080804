/** What everything about pairs needs: the engine, the programs, and where files are kept. */
import { mkdir, mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger, Random } from "@berg/kube";
import type { Engine, Labels } from "@berg/local-engine";
import { engineLabels } from "../../vocabulary.ts";
import type { EnsureImage, ServerPrograms } from "./programs.ts";

/** Told of client proxies on networks whose traffic somebody filters. */
export interface Guests {
  /** Resolves when containers on that network reach it. `network`: the name of the ContainerNetwork. */
  joined(network: string, guest: { id: string; address: string }): Promise<void>;
  left(id: string): Promise<void>;
}

export interface PairSurroundings {
  readonly engine: Engine;
  readonly programs: ServerPrograms;
  readonly ensureImage: EnsureImage;
  /** For the pairs and what is made once for all of them. */
  readonly directory: string;
  /** Which Berg this is: one for each data directory. */
  readonly node: string;
  readonly version: string;
  readonly guests: Guests | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Of all pairs of this Berg, or of one. */
export function pairLabels({ node }: Pick<PairSurroundings, "node">, uid?: string): Labels {
  return { [engineLabels.node]: node, ...(uid !== undefined && { [engineLabels.proxyUid]: uid }) };
}

/** One directory for each object. */
export function pairsDirectory({ directory }: Pick<PairSurroundings, "directory">): string {
  return join(directory, "pairs");
}

const uidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** As the API gives them. A container has the labels of its image too, so that one may say anything: `../..` as well. */
export function isUid(text: string): boolean {
  return uidForm.test(text);
}

export function pairDirectory(around: Pick<PairSurroundings, "directory">, uid: string): string {
  if (!isUid(uid)) throw new Error(`${JSON.stringify(uid)} is no UID of the API: no directory has its name`);
  return join(pairsDirectory(around), uid);
}

/**
 * One in it for each start, and its name in all that is made for this start: a process or a network that an earlier
 * controller was just about to make when it was killed, and that comes late, is in nobody's way.
 */
export async function newStartDirectory(around: Pick<PairSurroundings, "directory">, uid: string): Promise<string> {
  const parent = pairDirectory(around, uid);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return mkdtemp(join(parent, "/"));
}

export async function startDirectories(around: Pick<PairSurroundings, "directory">, uid: string): Promise<string[]> {
  const parent = pairDirectory(around, uid);
  return (await readdir(parent).catch((): string[] => [])).map((name) => join(parent, name));
}
