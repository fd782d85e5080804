/**
 * Copies what `berg` needs at run time out of a checkout: the sources of our packages, the packages that those depend on,
 * and the built pages. Dev dependencies, tests and files that only a compiler reads are left out. deploy/Dockerfile runs it.
 *
 *   node tools/image-tree.ts <checkout, after npm ci and npm run pages> <target>
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { sourceHash } from "../packages/web/build/source-hash.ts";

interface Manifest {
  dependencies?: Record<string, string>;
}

const firstPackage = "packages/cli";

/** Node runs no TypeScript under node_modules. Some packages contain everything twice; we use the ES modules. */
const unusedThere =
  /\.(?:[cm]?ts|map|md)$|\/test\.js$|\/(?:zod|re2js)\/.*\.(?:cjs|umd\.js)$|\/dist\/cjs$|\/yaml\/browser$|\/dayjs\/(?:esm|locale|plugin)$/;
/** Tunnels need the container engine of a machine. Of the pages only the build is needed. */
const unusedPackages = new Set(["@berg/tunnel", "@berg/web"]);
const unusedHere = /\.test\.ts$|\.md$/;
const unusedFolders = new Set(["node_modules", "test", "tests", "testing", "benchmarks"]);

/**
 * So that `kubectl exec … -- berg admin link` works in an image without a shell. It has no V8 flags: Fastify's router
 * compiles functions from strings, so `berg api` cannot run with the flag of the ENTRYPOINT.
 */
const launcher = `#!/nodejs/bin/node\nimport "../packages/cli/src/main.ts";\n`;

/** The sources, without the pages. */
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
  mkdirSync(join(target, "bin"));
  writeFileSync(join(target, "bin/berg"), launcher, { mode: 0o755 });
}

/** Refuses a build of other sources: the pages in the image would not fit its API. */
export async function copyPages(checkout: string, target: string): Promise<void> {
  const web = join(checkout, "packages/web");
  const build = join(web, "dist");
  const missing = (reason: string) => new Error(`${reason}: run npm run pages first`);
  if (!lstatSync(build, { throwIfNoEntry: false })) throw missing("the pages are not built");
  const { hash } = JSON.parse(readFileSync(join(build, "build.json"), "utf8")) as { hash: string };
  if (hash !== (await sourceHash(web))) throw missing("the pages have changed since they were built");
  cpSync(build, join(target, "pages"), { recursive: true });
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
  await copyPages(checkout, target);
}
