/**
 * What the client proxy of an author's tunnels stands on: the libraries of this machine's Node, of which that proxy is
 * made. So a tunnel needs nothing from elsewhere.
 */
import { createHash } from "node:crypto";
import type { Engine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { librariesLayer } from "../../samples/node-layer.ts";

export async function loadTunnelBase(engine: Engine, signal: AbortSignal): Promise<string> {
  const layer = await librariesLayer();
  const hash = createHash("sha256");
  for (const [path, file] of Object.entries(layer)) hash.update(path).update("content" in file ? file.content : "");
  const name = `berg.local/tunnel-base:${hash.digest("hex").slice(0, 12)}`;
  if (!(await engine.inspectImage(name, signal)))
    await engine.loadImage(imageArchive({ name, layers: [layer] }), signal);
  return name;
}
