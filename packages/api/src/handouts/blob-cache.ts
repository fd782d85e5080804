/** Files by their digest, in a directory of this process. The ones that were not used for longest make room for others. */
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Clock, errorText } from "@berg/kube";
import type { OpenFile } from "./file-source.ts";
import { HandoutError } from "./handout-error.ts";
import type { Layer } from "./registry.ts";

export interface BlobCacheOptions {
  /** Created if it does not exist. No other process uses it. Undefined: one for this process, removed at its end. */
  directory: string | undefined;
  /** Of all files together. */
  maxBytes: number;
  clock: Clock;
}

const unfinished = ".part";

export class BlobCache implements AsyncDisposable {
  readonly #options: BlobCacheOptions;
  readonly #pulls = new Map<string, Promise<void>>();
  /** Of the pulls under way. */
  #reserved = 0;
  #directory: Promise<string> | undefined;

  constructor(options: BlobCacheOptions) {
    this.#options = options;
  }

  /** Pulls it unless it is there. Whoever asks for the same one meanwhile waits for the same pull. */
  async open(layer: Layer, pull: () => Promise<Readable>): Promise<OpenFile> {
    const known = await this.find(layer.digest);
    if (known) return known;
    const running = this.#pulls.get(layer.digest) ?? this.#start(layer, pull);
    await running;
    const file = await this.find(layer.digest);
    if (!file) throw new HandoutError("the file was removed from the cache at once: the cache is too small");
    return file;
  }

  async find(digest: string): Promise<OpenFile | undefined> {
    const path = await this.#path(digest);
    try {
      const handle = await open(path);
      const now = this.#options.clock.now() / 1000;
      await utimes(path, now, now).catch(() => {});
      return { handle, size: (await handle.stat()).size };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #start(layer: Layer, pull: () => Promise<Readable>): Promise<void> {
    const running = this.#pull(layer, pull).finally(() => this.#pulls.delete(layer.digest));
    this.#pulls.set(layer.digest, running);
    return running;
  }

  async #pull({ digest, size }: Layer, pull: () => Promise<Readable>): Promise<void> {
    const directory = await this.#prepared();
    this.#reserved += size;
    const temporary = join(directory, `${randomUUID()}${unfinished}`);
    try {
      await this.#evict(directory);
      await pipeline(await pull(), checked({ digest, size }), createWriteStream(temporary, { mode: 0o600 }));
      await rename(temporary, await this.#path(digest));
    } catch (error) {
      // The registry hung up, or the disk is full.
      throw error instanceof HandoutError ? error : new HandoutError(`cannot store the file: ${errorText(error)}`);
    } finally {
      this.#reserved -= size;
      await rm(temporary, { force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#pulls.values());
    if (this.#directory && this.#options.directory === undefined) {
      await rm(await this.#directory, { recursive: true, force: true });
    }
  }

  #prepared(): Promise<string> {
    const { directory } = this.#options;
    this.#directory ??= (directory === undefined ? newDirectory() : prepare(directory)).catch((error) => {
      this.#directory = undefined;
      throw new HandoutError(`cannot keep files: ${errorText(error)}`);
    });
    return this.#directory;
  }

  /** Until what is reserved fits. A file that is being sent stays readable until it is closed. */
  async #evict(directory: string): Promise<void> {
    const { maxBytes } = this.#options;
    if (this.#reserved > maxBytes) throw new HandoutError("too many or too large files are pulled at the same time");
    const names = (await readdir(directory)).filter((name) => !name.endsWith(unfinished));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        // Another pull may remove it at the same moment.
        const found = await stat(path).catch(() => undefined);
        return { path, size: found?.size ?? 0, mtimeMs: found?.mtimeMs ?? 0 };
      }),
    );
    let total = files.reduce((sum, { size }) => sum + size, this.#reserved);
    for (const { path, size } of files.sort((one, other) => one.mtimeMs - other.mtimeMs)) {
      if (total <= maxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  async #path(digest: string): Promise<string> {
    return join(await this.#prepared(), digest.replace("sha256:", ""));
  }
}

/** Its name cannot be guessed: others may write to the directory of temporary files too. */
function newDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "berg-handouts-"));
}

async function prepare(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = await readdir(directory);
  // Of a process that was killed.
  await Promise.all(names.filter((name) => name.endsWith(unfinished)).map((name) => rm(join(directory, name))));
  return directory;
}

/** Passes bytes on, and fails where they are others than promised. */
function checked({ digest, size }: Layer) {
  return async function* (source: AsyncIterable<Buffer>) {
    const hash = createHash("sha256");
    let received = 0;
    for await (const chunk of source) {
      received += chunk.length;
      if (received > size) throw new HandoutError(`the layer is larger than the ${size} bytes of its manifest`);
      hash.update(chunk);
      yield chunk;
    }
    const actual = `sha256:${hash.digest("hex")}`;
    if (actual !== digest) throw new HandoutError(`the layer has the digest ${actual}, and not ${digest}`);
  };
}
