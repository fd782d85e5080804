/** The hash of everything that a build of the pages depends on. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

// package.json pins the exact versions of Vite, React and the rest. wire.ts gives types only, but a build that disagrees
// with the API must not survive a change of the contract.
const inputs = ["build", "index.html", "package.json", "src", "vite.config.ts", "../api/src/wire.ts"];

export async function sourceHash(packageDirectory: string): Promise<string> {
  const lists = await Promise.all(inputs.map((input) => filesBelow(join(packageDirectory, input))));
  const files = lists
    .flat()
    .map((file) => ({ file, name: relative(packageDirectory, file) }))
    .filter(({ name }) => !name.endsWith(".test.ts") && !name.startsWith(join("src", "testing")))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const contents = await Promise.all(files.map(({ file }) => readFile(file)));
  const hash = createHash("sha256");
  files.forEach(({ name }, index) => {
    const content = contents[index] ?? Buffer.alloc(0);
    // With its length in front, no content can look like the next file.
    hash.update(`${name}\0${content.length}\0`).update(content);
  });
  return hash.digest("hex");
}

/** `path` itself where it is a file; an input that does not exist counts as empty. */
async function filesBelow(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOTDIR") return [path];
    if (code === "ENOENT") return [];
    throw error;
  }
}
