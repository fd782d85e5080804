/**
 * Node as the lowest layer of an image: the program that runs this, and the libraries that it is linked to. Every machine
 * that runs Berg has them, so that samples need nothing from elsewhere.
 */
import { readFile } from "node:fs/promises";
import { ConfigurationError } from "@berg/kube";
import type { Layer, LayerFile } from "@berg/local-node";

export async function nodeLayer(): Promise<Layer> {
  if (process.platform !== "linux") {
    throw new ConfigurationError(
      "cannot build the sample images: they are made of this machine's Node, and containers need one for Linux; build them on Linux, with berg samples build --output samples.tar",
    );
  }
  return {
    "/usr/bin/node": { content: await readFile(process.execPath), mode: 0o755 },
    "/etc/passwd": { content: "root:x:0:0:root:/:/usr/bin/node\nplayer:x:1000:1000::/:/usr/bin/node\n" },
    "/tmp": { directory: true, mode: 0o1777 },
    ...(await librariesLayer()),
  };
}

/** The libraries alone, for a program that is made of Node. */
export async function librariesLayer(): Promise<Layer> {
  const layer: Record<string, LayerFile> = {};
  for (const library of libraries()) layer[library] = { content: await readFile(library), mode: 0o755 };
  return layer;
}

/** As the loader found them; the kernel's own has no file. */
function libraries(): string[] {
  const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
  return sharedObjects.filter((path) => /^\/(usr\/)?lib/.test(path) && /\.so(\.|$)/.test(path));
}
