/**
 * Completes package-lock.json: every optional dependency that it names gets an entry, for platforms too that this
 * machine is not. npm leaves those out whose package the registry in use does not carry, and `npm ci` then refuses the
 * whole file, on every machine.
 *
 *   node tools/lockfile.ts           adds what is missing; run it after npm install
 *   node tools/lockfile.ts --check   names what is missing and exits with 1
 */
import { readFileSync, writeFileSync } from "node:fs";

interface Entry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

interface Lockfile {
  packages: Record<string, Entry>;
}

/** The entries that are missing, by their path. */
export function missingEntries({ packages }: Lockfile): Map<string, Entry> {
  const missing = new Map<string, Entry>();
  for (const entry of Object.values(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`;
      // An optional package that is no build for a platform is resolved like any other, or not at all.
      const platform = platformOf(name);
      if (packages[path] || !platform || !/^\d/.test(version)) continue;
      missing.set(path, { version, ...(entry.dev ? { dev: true } : {}), optional: true, ...platform });
    }
  }
  return missing;
}

/** Packages of builds end in the platform's name: `@biomejs/cli-linux-x64-musl`, `binding-win32-arm64-msvc`. */
function platformOf(name: string): Pick<Entry, "os" | "cpu" | "libc"> | undefined {
  const found =
    /(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|wasm32|win32)-(\w+)(?:-(\w+))?$/.exec(name);
  if (!found) return undefined;
  const [, os = "", cpu = "", abi = ""] = found;
  if (os === "wasm32") return { cpu: ["wasm32"] };
  const libc = abi.startsWith("musl") ? ["musl"] : abi.startsWith("gnu") ? ["glibc"] : undefined;
  return { os: [os], cpu: [cpu], ...(libc ? { libc } : {}) };
}

if (import.meta.main) {
  const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile;
  const missing = missingEntries(lockfile);
  if (process.argv.includes("--check")) {
    for (const path of missing.keys()) process.stderr.write(`package-lock.json has no entry for ${path}\n`);
    process.exitCode = missing.size === 0 ? 0 : 1;
  } else if (missing.size > 0) {
    const all = Object.entries({ ...lockfile.packages, ...Object.fromEntries(missing) });
    lockfile.packages = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, "en")));
    writeFileSync("package-lock.json", `${JSON.stringify(lockfile, null, 2)}\n`);
  }
}
