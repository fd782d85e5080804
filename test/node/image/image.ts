/**
 * Container images made here, since no registry can be reached: layers from files, as the archive that `docker save`
 * writes and containerd imports.
 */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { type TarEntry, tar } from "./tar.ts";

export interface ImageOptions {
  /** With its registry and tag, as a pod names it: `berg.test/web:1`. */
  readonly name: string;
  /** From the lowest to the highest. */
  readonly layers: readonly Layer[];
  readonly command?: readonly string[];
  /** `1000`, or `1000:1000`. Root unless told otherwise. */
  readonly user?: string;
  readonly env?: readonly string[];
}

/** What is at which absolute path. Directories above a file need not be named. */
export type Layer = Readonly<Record<string, LayerFile>>;

export type LayerFile =
  | { readonly content: string | Buffer; readonly mode?: number; readonly uid?: number }
  | { readonly linkTo: string }
  | { readonly directory: true; readonly mode?: number; readonly uid?: number };

const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", arm64: "arm64" };

/** The archive of one image. */
export function imageArchive({ name, layers, command = [], user = "", env = [] }: ImageOptions): Buffer {
  const archives = layers.map((layer) => tar(entriesOf(layer)));
  const config = JSON.stringify({
    architecture: architectures[process.arch] ?? process.arch,
    os: "linux",
    config: { Cmd: command, User: user, Env: ["PATH=/bin", ...env] },
    rootfs: { type: "layers", diff_ids: archives.map((archive) => `sha256:${sha256(archive)}`) },
  });
  const configFile = `${sha256(config)}.json`;
  const layerFiles = archives.map((archive) => `${sha256(archive)}.tar`);
  const manifest = JSON.stringify([{ Config: configFile, RepoTags: [name], Layers: layerFiles }]);
  const file = (path: string, content: string | Buffer): TarEntry => ({
    kind: "file",
    path,
    mode: 0o644,
    bytes: Buffer.from(content),
  });
  return tar([
    file("manifest.json", manifest),
    file(configFile, config),
    ...archives.map((archive, index) => file(layerFiles[index] ?? "", archive)),
  ]);
}

function entriesOf(layer: Layer): TarEntry[] {
  const entries = new Map<string, TarEntry>();
  for (const [path, file] of Object.entries(layer)) {
    for (const above of directoriesAbove(path)) {
      if (!entries.has(above)) entries.set(above, { kind: "directory", path: above, mode: 0o755 });
    }
    entries.set(path.slice(1), entryOf(path.slice(1), file));
  }
  return [...entries.values()];
}

function entryOf(path: string, file: LayerFile): TarEntry {
  if ("linkTo" in file) return { kind: "link", path, mode: 0o777, target: file.linkTo };
  const uid = file.uid ?? 0;
  if ("directory" in file) return { kind: "directory", path, mode: file.mode ?? 0o755, uid, gid: uid };
  return { kind: "file", path, mode: file.mode ?? 0o644, uid, gid: uid, bytes: Buffer.from(file.content) };
}

/** `directoriesAbove("/srv/www/index.html")` is `["srv", "srv/www"]`. */
function directoriesAbove(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === "/" ? [] : [...directoriesAbove(parent), parent.slice(1)];
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
