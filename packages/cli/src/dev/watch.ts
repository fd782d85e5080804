/** Tells that files have changed, once for changes that come together. */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { join, sep } from "node:path";
import type { Clock, Timer } from "@berg/kube";
import { isIgnored } from "./context.ts";
import type { Project } from "./project.ts";

/** An editor writes a file in several steps, and several files at once. */
const settleMs = 250;

export interface WatchOptions {
  clock: Clock;
  /** Changes all the time by itself. */
  dataDir: string;
  onTrouble(text: string): void;
}

export class Changes implements Disposable {
  readonly #options: WatchOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  #settling: Timer | undefined;
  #isPending = false;
  #wake = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** From now on these, and no others. */
  watch(directories: ReadonlyMap<string, { recursive: boolean }>): void {
    const wanted = new Map([...directories].map(([path, how]) => [`${path}\0${how.recursive}`, { path, ...how }]));
    for (const [key, watcher] of this.#watchers) {
      if (wanted.has(key)) continue;
      watcher.close();
      this.#watchers.delete(key);
    }
    for (const [key, { path, recursive }] of wanted) {
      if (!this.#watchers.has(key)) this.#add(key, path, recursive);
    }
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
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(key: string, path: string, recursive: boolean): void {
    const { dataDir, onTrouble } = this.#options;
    const trouble = (error: Error) => {
      this.#watchers.delete(key);
      onTrouble(`Cannot see changes in ${path} any more: ${error.message}`);
    };
    try {
      const watcher = watch(path, { recursive }, (_, name) => {
        const file = join(path, name ?? "");
        const isData = file === dataDir || file.startsWith(`${dataDir}${sep}`);
        if (!isData && !isIgnored(name ?? "")) this.#changed();
      });
      watcher.on("error", trouble);
      this.#watchers.set(key, watcher);
    } catch (error) {
      trouble(error as Error);
    }
  }

  #changed(): void {
    this.#settling?.cancel();
    this.#settling = this.#options.clock.setTimer(settleMs, () => {
      this.#isPending = true;
      this.#wake();
    });
  }
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
