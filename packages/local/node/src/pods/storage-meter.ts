/** Measures what one pod wrote to the disk, from time to time, where it has a limit for that. */
import { access } from "node:fs/promises";
import type { Pod } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { deletedUse } from "../volumes/deleted-files.ts";
import { diskUse } from "../volumes/disk-use.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import { writtenTo } from "./pod-directory.ts";
import type { SeenContainer } from "./seen.ts";
import { emptyDirsOf, enoughBytes, hasStorageLimit, type StorageUse } from "./storage-limits.ts";

/** kubelet's own period. */
const periodMs = 10_000;

export interface StorageSite {
  engine: Pick<Engine, "containerSize" | "inspectContainer">;
  volumes: Pick<PodVolumes, "useOf">;
  running: readonly SeenContainer[];
  /** Of this pod. */
  directory: string;
}

export class StorageMeter {
  /** Undefined where there is nothing to measure. */
  dueAt: number | undefined;

  /** Whether it is time, once each time. */
  comesDue(pod: Pod, now: number): boolean {
    if (!hasStorageLimit(pod)) return false;
    // A pod that has just begun has written nothing yet, and its player waits for it.
    this.dueAt ??= now + periodMs;
    if (now < this.dueAt) return false;
    this.dueAt = now + periodMs;
    return true;
  }

  async measure(
    pod: Pod,
    { engine, volumes, running, directory }: StorageSite,
    signal: AbortSignal,
  ): Promise<StorageUse> {
    const use = { volumes: new Map<string, number>(), containers: new Map<string, number>(), files: 0 };
    const enough = enoughBytes(pod);
    for (const path of writtenTo(directory)) use.files += await diskUse(path, signal, enough);
    for (const { name } of emptyDirsOf(pod)) use.volumes.set(name, await volumes.useOf(name, signal, enough));
    for (const { id, identity } of running)
      use.containers.set(identity.container, await containerUse(engine, id, enough, signal));
    return use;
  }
}

/** What it changed of its image, and what it deleted and holds open, be that in a volume. */
async function containerUse(
  engine: StorageSite["engine"],
  id: string,
  enough: number,
  signal: AbortSignal,
): Promise<number> {
  const { pid = 0, writableLayer } = (await engine.inspectContainer(id, signal)) ?? {};
  const isHere =
    writableLayer !== undefined &&
    (await access(writableLayer).then(
      () => true,
      () => false,
    ));
  // The engine counts bytes alone, and not files.
  const layer = isHere ? await diskUse(writableLayer, signal, enough) : await engine.containerSize(id, signal);
  return (layer ?? 0) + (await deletedUse(pid, signal));
}
