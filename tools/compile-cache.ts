/**
 * Compiles the code of components into a directory for NODE_COMPILE_CACHE: a start then neither strips types nor compiles.
 * deploy/Dockerfile runs it, with the V8 flags that the components run with: V8 ignores what was compiled under others.
 *
 *   node tools/compile-cache.ts <tree> <directory> <component…>
 */
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { join, resolve } from "node:path";

/** Node reads the cache of its own user: the one in the Dockerfile and in the Deployments. */
const user = 65532;
const modules: Record<string, string> = { api: "api/run-api.ts", admin: "admin/run-admin.ts" };

const [tree, directory, ...components] = process.argv.slice(2);
if (!tree || !directory || components.length === 0) {
  throw new Error("usage: node tools/compile-cache.ts <tree> <directory> <component…>");
}
mkdirSync(directory, { recursive: true });
chownSync(directory, user, user);
process.setgid?.(user);
process.setuid?.(user);
enableCompileCache(directory);

const source = resolve(tree, "packages/cli/src");
await import(join(source, "program.ts"));
for (const component of components) await import(join(source, modules[component] ?? `run-${component}.ts`));
// Loads what is loaded only when a component runs.
await (await import(resolve(tree, "packages/kube/src/index.ts"))).createMetrics();
flushCompileCache();

// Node keeps them to their user; COPY gives them to root.
for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
  chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
