/**
 * Builds the pages into packages/web/dist, unless dist already holds a build of the same sources. Whoever starts the API
 * calls this at each start, so the case where nothing has changed must be cheap: it reads and hashes the sources and does
 * not import Vite.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { compressAssets } from "./compress-assets.ts";
import { sourceHash } from "./source-hash.ts";

export interface BuildOptions {
  log?: (line: string) => void;
  /** The package to build; tests pass another one. */
  packageDirectory?: string;
  /** Runs Vite; tests pass a substitute. */
  runVite?: (packageDirectory: string, outputDirectory: string) => Promise<void>;
}

export interface BuiltPages {
  /** Holds index.html and assets/, most of them with a `.br` and a `.gz` beside them. */
  directory: string;
  /** Whether an earlier build was used. */
  cached: boolean;
}

const ownPackage = resolve(import.meta.dirname, "..");

export async function buildPages({
  log = () => {},
  packageDirectory = ownPackage,
  runVite = spawnVite,
}: BuildOptions = {}): Promise<BuiltPages> {
  const directory = join(packageDirectory, "dist");
  const hash = await sourceHash(packageDirectory);
  if ((await hashOfBuild(directory)) === hash) return { directory, cached: true };

  log("Building the pages …");
  const temporary = join(packageDirectory, `.dist-${randomUUID()}`);
  try {
    await runVite(packageDirectory, temporary);
    await compressAssets(temporary);
    await writeFile(join(temporary, "build.json"), `${JSON.stringify({ hash })}\n`);
    await moveIntoPlace(temporary, directory, hash);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  log("The pages are built.");
  return { directory, cached: false };
}

/** The hash that the build in `directory` was made from; undefined where there is no complete build. */
async function hashOfBuild(directory: string): Promise<string | undefined> {
  try {
    const { hash } = JSON.parse(await readFile(join(directory, "build.json"), "utf8"));
    return hash;
  } catch {
    return undefined;
  }
}

/**
 * A directory cannot be renamed over another one that has content, so an older build is moved aside first. Another process
 * may do the same at the same time: then one of the two finds a build in place again, and takes it if it is the same.
 */
async function moveIntoPlace(temporary: string, directory: string, hash: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      return await rename(temporary, directory);
    } catch (error) {
      if (!hasCode(error, "ENOTEMPTY", "EEXIST", "EPERM")) throw error;
    }
    if ((await hashOfBuild(directory)) === hash) return;
    const aside = `${temporary}-old`;
    try {
      await rename(directory, aside);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
    await rm(aside, { recursive: true, force: true });
  }
  throw new Error(`${directory}: other builds keep replacing it; end them and try again`);
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** A process of its own: Vite's memory and its native threads are gone when it ends. */
async function spawnVite(packageDirectory: string, outputDirectory: string): Promise<void> {
  const args = [
    "build",
    "--outDir",
    outputDirectory,
    "--emptyOutDir",
    "--configLoader",
    "native",
    "--logLevel",
    "warn",
  ];
  const child = spawn(process.execPath, [findVite(), ...args], {
    cwd: packageDirectory,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject).once("close", resolve);
  const exitCode = await promise;
  if (exitCode !== 0) throw new Error(`building the pages failed (vite exited with ${exitCode}):\n${output.trim()}`);
}

function findVite(): string {
  const require = createRequire(import.meta.url);
  try {
    return join(dirname(require.resolve("vite/package.json")), "bin/vite.js");
  } catch (cause) {
    throw new Error("the pages have to be built, but Vite is not installed: run npm ci without --omit", { cause });
  }
}

if (import.meta.main) await buildPages({ log: (line) => process.stdout.write(`${line}\n`) });
