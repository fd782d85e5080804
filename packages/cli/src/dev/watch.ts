/**
 * Tells that files have changed, once for changes that come together. On Linux each folder is watched by itself: there
 * Node watches a whole tree file by file, and loses a file that an editor replaces when it saves.
 */
import { existsSync, type FSWatcher, statSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Clock, Timer } from "@berg/kube";
import { isIgnored } from "./context.ts";
import { foldersBelow } from "./folders.ts";
import type { Project } from "./project.ts";

/** An editor writes a file in several steps, and several files at once. */
const settleMs = 250;

export interface WatchOptions {
  clock: Clock;
  /** Changes all the time by itself. */
  dataDir: string;
  onTrouble(text: string): void;
}

interface Watched {
  watcher: FSWatcher;
  /** One that was removed and made anew has another. */
  inode: number;
}

export class Changes implements Disposable {
  readonly #options: WatchOptions;
  readonly #watched = new Map<string, Watched>();
  #wanted: ReadonlyMap<string, { recursive: boolean }> = new Map();
  #settling: Timer | undefined;
  #isPending = false;
  #wake = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** From now on these, and no others. */
  watch(directories: ReadonlyMap<string, { recursive: boolean }>): void {
    this.#wanted = directories;
    this.#spread();
  }

  /** Since the last time, or the next. */
  async next(): Promise<void> {
    if (!this.#isPending) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isPending = false;
  }

  [Symbol.dispose](): void {
    this.#settling?.cancel();
    this.#wanted = new Map();
    this.#spread();
  }

  /** Watches what there is now of what is wanted. */
  #spread(): void {
    const folders = new Map<string, { inode: number; top: string; recursive: boolean }>();
    for (const [top, { recursive }] of this.#wanted) {
      const isNative = process.platform !== "linux";
      const found = recursive && !isNative ? foldersBelow(top, this.#options.dataDir) : new Map([[top, inodeOf(top)]]);
      for (const [path, inode] of found) folders.set(path, { inode, top, recursive: recursive && isNative });
    }
    for (const [path, { watcher, inode }] of this.#watched) {
      if (folders.get(path)?.inode === inode) continue;
      watcher.close();
      this.#watched.delete(path);
    }
    for (const [path, { inode, top, recursive }] of folders) {
      if (!this.#watched.has(path)) this.#add(path, inode, top, recursive);
    }
  }

  #add(path: string, inode: number, top: string, recursive: boolean): void {
    const { dataDir, onTrouble } = this.#options;
    const trouble = (error: Error) => {
      this.#watched.delete(path);
      onTrouble(`Cannot see changes in ${path} any more: ${error.message}`);
    };
    try {
      const watcher = watch(path, { recursive }, (_, name) => {
        const file = join(path, name ?? "");
        const isData = file === dataDir || file.startsWith(`${dataDir}${sep}`);
        if (!isData && !isIgnored(relative(top, file))) this.#changed();
      });
      watcher.on("error", trouble);
      this.#watched.set(path, { watcher, inode });
    } catch (error) {
      trouble(error as Error);
    }
  }

  #changed(): void {
    this.#settling?.cancel();
    this.#settling = this.#options.clock.setTimer(settleMs, () => {
      // First: what changes in a new folder from now on is seen, and what did before is read.
      this.#spread();
      this.#isPending = true;
      this.#wake();
    });
  }
}

/** None where it is not there: whoever watches it is told so. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}

/** That of the YAML, and those that images are built from or may be. Only the latter with all that is in them. */
export function watchedDirectories(
  { directory, sources, challenge }: Pick<Project, "directory" | "sources" | "challenge">,
  exists: (path: string) => boolean = existsSync,
): Map<string, { recursive: boolean }> {
  const isBuiltHere = sources.some(
    (source) => source.kind === "sample" || (source.kind === "build" && source.directory === directory),
  );
  if (isBuiltHere) return new Map([[directory, { recursive: true }]]);
  const own = challenge.spec.containers.map(({ hostname }) => join(directory, hostname)).filter(exists);
  return new Map(
    [{ path: directory, recursive: false }, ...own.map((path) => ({ path, recursive: true }))].map(
      ({ path, recursive }) => [path, { recursive }],
    ),
  );
}
