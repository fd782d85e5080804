/** The bench's server as an image: this Node with the libraries that it is linked to, and the files of the server. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { ImageOptions, LayerFile } from "@berg/local-node";

export const image = "berg.test/bench-server:1";
export const port = 8080;

/** At the same places relative to each other, so that their imports hold. */
const files = ["tunnel/server.ts", "runtime/child.ts"];

export async function podImage(): Promise<ImageOptions> {
  const linked = execFileSync("ldd", [process.execPath], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  const layer: Record<string, LayerFile> = {
    "/bench/package.json": { content: JSON.stringify({ type: "module" }) },
    "/node": { content: await readFile(process.execPath), mode: 0o755 },
  };
  for (const [, library] of linked)
    layer[library as string] = { content: await readFile(library as string), mode: 0o755 };
  for (const file of files)
    layer[`/bench/${file}`] = { content: await readFile(new URL(`../../${file}`, import.meta.url)) };
  const command = ["/node", "/bench/tunnel/server.ts", JSON.stringify({ host: "0.0.0.0", port })];
  return { name: image, layers: [layer], command };
}
