/** Base images of this machine's own files, since tests reach no registry. */
import { readFile } from "node:fs/promises";
import { imageArchive, type Layer } from "@berg/local-node";

/** What Node is linked to, as the loader found it; but for what a test leaves out: `/libstdc/`. */
export async function baseImage(name: string, without?: RegExp): Promise<Uint8Array> {
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
  const libraries = sharedObjects.filter((path) => /^\/(usr\/)?lib.*\.so(\.|$)/.test(path) && !without?.test(path));
  const layer: Record<string, Layer[string]> = { "/etc/passwd": { content: "root:x:0:0:root:/:/none\n" } };
  for (const path of libraries) layer[path] = { content: await readFile(path), mode: 0o755 };
  return imageArchive({ name, layers: [layer] });
}
