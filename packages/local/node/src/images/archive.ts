/**
 * Container images made of files, with no engine and no registry: the archive that `docker save` writes, which Docker,
 * Podman and containerd load. The same files make the same image.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { type TarEntry, tar } from "@berg/local-engine";

export interface ImageOptions {
  /** With its registry and tag, as a pod names it: `berg.local/web:1`. */
  readonly name: string;
  /** From the lowest to the highest. */
  readonly layers: readonly Layer[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  /** `1000`, or `1000:1000`. Root unless told otherwise. */
  readonly user?: string;
  readonly env?: readonly string[];
  readonly workingDir?: string;
  /** As an engine names it: `x86_64`, `aarch64`. This machine's unless told otherwise. */
  readonly architecture?: string;
}

/** What is at which absolute path. Directories above a file need not be named. */
export type Layer = Readonly<Record<string, LayerFile>>;

export type LayerFile =
  | { readonly content: string | Uint8Array; readonly mode?: number; readonly uid?: number }
  | { readonly linkTo: string }
  | { readonly directory: true; readonly mode?: number; readonly uid?: number };

/** Images name architectures as Go does. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", x86_64: "amd64", aarch64: "arm64" };

/** `imageArchive({ name: "berg.local/web:1", layers: [{ "/srv/web": { content, mode: 0o755 } }], command: ["/srv/web"] })` */
export function imageArchive(...images: readonly ImageOptions[]): Buffer {
  const layers = new Map<Layer, LayerArchive>();
  const archiveOf = (layer: Layer) => {
    const known = layers.get(layer) ?? layerArchive(layer);
    layers.set(layer, known);
    return known;
  };
  const made = images.map((image) => manifestOf(image, image.layers.map(archiveOf)));
  const files = new Map<string, Uint8Array>();
  for (const { configFile, config } of made) files.set(configFile, Buffer.from(config));
  for (const { path, bytes } of layers.values()) files.set(path, bytes);
  const manifest = JSON.stringify(made.map(({ entry }) => entry));
  return tar([file("manifest.json", Buffer.from(manifest)), ...[...files].map(([path, bytes]) => file(path, bytes))]);
}

interface LayerArchive {
  digest: string;
  path: string;
  bytes: Buffer;
}

function layerArchive(layer: Layer): LayerArchive {
  const bytes = tar(entriesOf(layer));
  const digest = sha256(bytes);
  return { digest, path: `${digest}.tar`, bytes };
}

function manifestOf(options: ImageOptions, layers: readonly LayerArchive[]) {
  const { name, entrypoint, command, user = "", env = [], workingDir = "" } = options;
  const architecture = options.architecture ?? process.arch;
  const config = JSON.stringify({
    architecture: architectures[architecture] ?? architecture,
    os: "linux",
    config: { Entrypoint: entrypoint ?? null, Cmd: command ?? null, User: user, Env: env, WorkingDir: workingDir },
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
    // Podman builds no image on one whose layers are not told here.
    history: layers.map(() => ({ created_by: "berg" })),
  });
  const configFile = `${sha256(config)}.json`;
  const entry = { Config: configFile, RepoTags: [name], Layers: layers.map(({ path }) => path) };
  return { configFile, config, entry };
}

function file(path: string, bytes: Uint8Array): TarEntry {
  return { kind: "file", path, mode: 0o644, bytes };
}

function entriesOf(layer: Layer): TarEntry[] {
  const entries = new Map<string, TarEntry>();
  for (const [path, item] of Object.entries(layer)) {
    if (!path.startsWith("/") || path === "/" || posix.normalize(path) !== path || path.endsWith("/")) {
      throw new Error(`cannot put ${JSON.stringify(path)} into an image: it must be an absolute path without detours`);
    }
    for (const above of directoriesAbove(path)) {
      if (!entries.has(above)) entries.set(above, { kind: "directory", path: above, mode: 0o755 });
    }
    entries.set(path.slice(1), entryOf(path.slice(1), item));
  }
  return [...entries.values()];
}

function entryOf(path: string, item: LayerFile): TarEntry {
  if ("linkTo" in item) return { kind: "link", path, mode: 0o777, target: item.linkTo };
  const uid = item.uid ?? 0;
  if ("directory" in item) return { kind: "directory", path, mode: item.mode ?? 0o755, uid, gid: uid };
  return { kind: "file", path, mode: item.mode ?? 0o644, uid, gid: uid, bytes: Buffer.from(item.content) };
}

/** `directoriesAbove("/srv/www/index.html")` is `["srv", "srv/www"]`. */
function directoriesAbove(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "/" ? [] : [...directoriesAbove(parent), parent.slice(1)];
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
