/**
 * Where gardener-apiserver comes from: a cache outside the checkout that build.sh fills, once for each version of its
 * go.mod. Only CI builds it unasked: it takes as long as Kubernetes, and few need it.
 */
import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const recipe = join(import.meta.dirname, "build");

/** Why no real gardener-apiserver can run here, or nothing. `describe.skipIf(missingGardener())(…)` */
export function missingGardener(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const directory = cacheDirectory(environment);
  try {
    accessSync(join(directory, "gardener-apiserver"), constants.X_OK);
    return undefined;
  } catch {
    return `${directory} has no gardener-apiserver: test/gardener/server/build/build.sh ${directory} makes it`;
  }
}

/** Builds it where it is not there. Takes minutes, and tells of them on stderr. */
export function provideGardener(): void {
  if (missingGardener()) execFileSync(join(recipe, "build.sh"), [cacheDirectory(process.env)], { stdio: "inherit" });
}

export function gardenerBinary(): string {
  const missing = missingGardener();
  if (missing) throw new Error(`cannot start a real garden: ${missing}`);
  return join(cacheDirectory(process.env), "gardener-apiserver");
}

function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  const version = gardenerVersion(readFileSync(join(recipe, "go.mod"), "utf8"));
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "berg", "gardener", version);
}

/** `v1.139.0` from the line of go.mod that requires it. */
export function gardenerVersion(goMod: string): string {
  const version = /^\s*(?:require\s+)?github\.com\/gardener\/gardener\s+(v\S+)/m.exec(goMod)?.[1];
  if (version === undefined) throw new Error("cannot read Gardener's version: go.mod does not require it");
  return version;
}
