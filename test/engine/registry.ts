/**
 * A registry with one small image, in plain HTTP, for engines to pull from: `<address>/team/web:1`. A private one lets
 * in bob with hunter2 alone.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { imageArchive } from "@berg/local-node";

export interface TestRegistry extends AsyncDisposable {
  /** `127.0.0.1:41234` */
  readonly address: string;
  /** What was asked of it: `GET /v2/team/web/manifests/1`. */
  readonly asked: readonly string[];
}

const types = {
  manifest: "application/vnd.docker.distribution.manifest.v2+json",
  config: "application/vnd.docker.container.image.v1+json",
  layer: "application/vnd.docker.image.rootfs.diff.tar.gzip",
};
const signedIn = `Basic ${Buffer.from("bob:hunter2").toString("base64")}`;

export async function startRegistry(hostAddress: string, isPrivate = false): Promise<TestRegistry> {
  const { blobs, manifest } = smallImage();
  const asked: string[] = [];
  const server = createServer(({ method, url = "", headers }, response) => {
    asked.push(`${method} ${url}`);
    if (isPrivate && headers.authorization !== signedIn) {
      response.writeHead(401, { "WWW-Authenticate": 'Basic realm="test"' });
      response.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
      return;
    }
    if (url === "/v2/") {
      response.end("{}");
      return;
    }
    const [, kind, name = ""] = /^\/v2\/team\/web\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const body = kind === "manifests" && [digestOf(manifest), "1"].includes(name) ? manifest : blobs.get(name);
    if (!body) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
      return;
    }
    const type = kind === "manifests" ? types.manifest : "application/octet-stream";
    const about = { "Content-Type": type, "Content-Length": body.length, "Docker-Content-Digest": digestOf(body) };
    response.writeHead(200, about).end(method === "HEAD" ? undefined : body);
  });
  server.listen(0, hostAddress);
  await once(server, "listening");
  return {
    address: `${hostAddress}:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The parts of an archive, as a registry keeps them. */
function smallImage(): { blobs: Map<string, Buffer>; manifest: Buffer } {
  const files = untar(imageArchive({ name: "x:1", layers: [{ "/hello": { content: "hi" } }], command: ["/hello"] }));
  const [{ Config, Layers }] = JSON.parse(String(files.get("manifest.json")));
  const config = files.get(Config) ?? Buffer.alloc(0);
  const layer = gzipSync(files.get(Layers[0]) ?? Buffer.alloc(0));
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digestOf(bytes) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: part(types.config, config),
      layers: [part(types.layer, layer)],
    }),
  );
  return { blobs: new Map([config, layer].map((bytes) => [digestOf(bytes), bytes])), manifest };
}

function untar(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; archive[at]; ) {
    const name = archive.toString("latin1", at, at + 100).replace(/\0.*$/, "");
    const size = Number.parseInt(archive.toString("latin1", at + 124, at + 136), 8);
    files.set(name, archive.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
