/**
 * Copies what `berg` runs on out of a checkout: the sources of our packages, and the packages that those depend on. Dev
 * dependencies, tests and what only a compiler reads stay behind. deploy/Dockerfile runs it.
 *
 *   node tools/image-tree.ts <checkout, after npm ci> <target>
 */
import { cpSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

interface Manifest {
  dependencies?: Record<string, string>;
}

const firstPackage = "packages/cli";

/** Node runs no TypeScript under node_modules. Some come twice: once for those who import them, as we do. */
const unusedThere = /\.(?:[cm]?ts|map|md)$|\/test\.js$|\/(?:zod|re2js)\/.*\.cjs$|\/dist\/cjs$|\/yaml\/browser$/;
/** Tunnels are made with the container engine of a machine, and the API and its pages run in `berg up` alone. */
const unusedPackages = new Set(["@berg/tunnel", "@berg/api", "@berg/web"]);
const unusedHere = /\.test\.ts$|\.md$/;
const unusedFolders = new Set(["node_modules", "test", "tests", "testing", "benchmarks"]);

export function copyTree(checkout: string, target: string): void {
  const root = realpathSync(checkout);
  const copied = new Set<string>();
  const waiting = [join(root, firstPackage)];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    if (copied.has(from)) continue;
    copied.add(from);
    copyPackage(from, join(target, relative(root, from)));
    const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest;
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (unusedPackages.has(name)) continue;
      const found = find(name, from, root);
      // npm links the packages of a workspace: they stay outside of node_modules, where Node runs their TypeScript.
      if (lstatSync(found).isSymbolicLink()) copyLink(found, join(target, relative(root, found)));
      waiting.push(realpathSync(found));
    }
  }
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
}

/** The nearest one, as Node looks for it. */
function find(name: string, from: string, root: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (lstatSync(candidate, { throwIfNoEntry: false })) return candidate;
    if (folder === root) throw new Error(`cannot find ${name}, which ${relative(root, from)} needs: run npm ci first`);
  }
}

function copyPackage(from: string, to: string): void {
  const unused = from.includes("/node_modules/") ? unusedThere : unusedHere;
  cpSync(from, to, {
    recursive: true,
    filter: (path) => path === from || !(unused.test(path) || unusedFolders.has(basename(path))),
  });
}

function copyLink(from: string, to: string): void {
  if (lstatSync(to, { throwIfNoEntry: false })) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(readlinkSync(from), to);
}

if (import.meta.main) {
  const [checkout, target] = process.argv.slice(2);
  if (!checkout || !target) throw new Error("usage: node tools/image-tree.ts <checkout> <target>");
  copyTree(checkout, target);
}
