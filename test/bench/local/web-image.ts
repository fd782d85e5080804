/**
 * What runs in the containers: this machine's nginx with the libraries that it is linked to. It starts in no time and
 * answers from memory, so that what is measured is what stands before it.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { imageArchive, type Layer, type LayerFile } from "@berg/local-node";

export const nginx = "/usr/sbin/nginx";
export const image = "berg.local/bench-web:1";
export const port = 8080;
export const largePath = "/large";
export const largeBytes = 64 * 1024 * 1024;

export async function webImage(): Promise<Buffer> {
  if (!existsSync(nginx)) throw new Error("cannot measure: there is no nginx here. apt-get install nginx-light");
  const files: Layer = {
    "/etc/web.conf": { content: configuration },
    "/srv/large": { content: Buffer.alloc(largeBytes) },
    "/tmp": { directory: true, mode: 0o1777 },
  };
  const command = [nginx, "-e", "stderr", "-c", "/etc/web.conf"];
  return imageArchive({ name: image, layers: [await programLayer(), files], command, user: "1000:1000" });
}

async function programLayer(): Promise<Layer> {
  const linked = execFileSync("ldd", [nginx], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g);
  const layer: Record<string, LayerFile> = {};
  for (const path of [nginx, ...Array.from(linked, ([, library]) => library as string)])
    layer[path] = { content: await readFile(path), mode: 0o755 };
  return layer;
}

/** Without what it would keep on a disk. */
export function temporaryPaths(directory: string): string {
  return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((what) => `${what}_temp_path ${directory}/${what};`)
    .join("\n  ");
}

const configuration = `
daemon off;
master_process off;
pid /tmp/nginx.pid;
events { worker_connections 512; }
http {
  ${temporaryPaths("/tmp")}
  access_log off;
  sendfile on;
  keepalive_requests 100000000;
  server {
    listen ${port};
    location / { return 200 "${"It works. ".repeat(100)}"; }
    location = ${largePath} { root /srv; }
  }
}
`;
