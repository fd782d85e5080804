/**
 * The client proxy as one executable file: Node's single executable application, which is this very Node with the
 * program as a resource of it (elf.ts puts it in). It needs of its image what Node needs: glibc and the C++ library.
 *
 * Not the code cache of V8, nor a snapshot: the bundle is small and starts as fast without. And it is not kept: what it
 * is is known from its parts, an image that is there needs it no more, and it is made in less than a second.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, type FileHandle, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "./bundle.ts";
import { headerSize, planResource } from "./elf.ts";

export interface Program {
  /** One CommonJS file. */
  code: string;
  /** Of everything that makes its executable what it is. */
  hash: string;
}

/** Counted up whenever this file, or elf.ts, makes another executable of the same parts. */
const format = 1;

/** `await readProgram("/…/client-proxy/main.ts")` */
export async function readProgram(entry: string, signal?: AbortSignal): Promise<Program> {
  if (process.platform !== "linux") {
    throw new Error(
      "cannot make the client proxy: it is made of this machine's Node, and containers need one for Linux",
    );
  }
  const code = await bundle(entry, signal);
  const parts = [format, process.version, process.arch, code];
  return { code, hash: createHash("sha256").update(parts.join("\0")).digest("hex") };
}

export interface Executable extends AsyncDisposable {
  readonly path: string;
}

/** In a directory of its own inside of this one, which is gone when it is disposed of. */
export async function makeExecutable({ code }: Program, within: string, signal?: AbortSignal): Promise<Executable> {
  await mkdir(within, { recursive: true, mode: 0o700 });
  const directory = await mkdtemp(join(within, "executable-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "client-proxy");
  await assemble(path, await blobOf(code, directory, signal), signal);
  const kept = undo.move();
  return { path, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const run = promisify(execFile);

/** What Node reads the program from. */
async function blobOf(code: string, work: string, signal?: AbortSignal): Promise<Buffer> {
  const [main, output, config] = ["main.cjs", "blob", "sea.json"].map((name) => join(work, name)) as [
    ...[string, string, string],
  ];
  await writeFile(main, code);
  await writeFile(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, useCodeCache: false }));
  // Options of ours, such as a debugger's, are not meant for it.
  const env = { ...process.env, NODE_OPTIONS: "" };
  await run(process.execPath, ["--experimental-sea-config", config], { env, ...(signal && { signal }) });
  return readFile(output);
}

const resourceName = "NODE_SEA_BLOB";
/** A Node that has a program in it has a 1 in place of the 0. */
const fuse = Buffer.from("NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:0");

async function assemble(path: string, blob: Buffer, signal?: AbortSignal): Promise<void> {
  const node = process.execPath;
  await copyFile(node, path, constants.COPYFILE_FICLONE);
  await using file = await open(path, "r+");
  await file.chmod(0o755);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(headerSize), position: 0 });
    const { keep, offset, resource, header } = planResource(buffer, resourceName, blob);
    await file.truncate(keep);
    const lit = await find(file, fuse, signal);
    if (lit === undefined) throw new Error("has no place for a program");
    await file.write("1", lit + fuse.length - 1);
    await file.write(header, 0, header.length, 0);
    await file.write(resource, 0, resource.length, offset);
    await file.sync();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "cannot be read";
    const fix = "run Berg with the Node that npm ci installs, or that of nodejs.org";
    throw new Error(`cannot make the client proxy: the Node at ${node} ${why}; ${fix}`, { cause });
  }
}

const chunkSize = 4 * 1024 * 1024;

async function find(file: FileHandle, wanted: Buffer, signal?: AbortSignal): Promise<number | undefined> {
  const chunk = Buffer.alloc(chunkSize);
  for (let position = 0; ; position += chunkSize - wanted.length) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read({ buffer: chunk, position });
    const at = chunk.subarray(0, bytesRead).indexOf(wanted);
    if (at >= 0) return position + at;
    if (bytesRead < chunkSize) return undefined;
  }
}
