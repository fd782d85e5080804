/** nginx before the same container, as somebody would set it up who wants it fast: one worker, connections kept. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../control-plane/ports.ts";
import { nginx, temporaryPaths } from "./web-image.ts";

export interface ReverseProxy extends AsyncDisposable {
  readonly port: number;
}

export async function startReverseProxy(upstream: string): Promise<ReverseProxy> {
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-"));
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  const file = join(directory, "nginx.conf");
  await writeFile(file, configuration(directory, port, upstream));
  // In one process, which is then the one worker, and goes with nobody left behind.
  const child = spawn(nginx, ["-e", "stderr", "-c", file], { stdio: ["ignore", 2, 2] });
  const ended = once(child, "exit");
  undo.defer(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    await delay(20);
  }
  const parts = undo.move();
  return { port, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

const configuration = (directory: string, port: number, upstream: string) => `
daemon off;
master_process off;
user root root;
pid ${directory}/nginx.pid;
events { worker_connections 512; }
http {
  ${temporaryPaths(directory)}
  access_log off;
  keepalive_requests 100000000;
  proxy_max_temp_file_size 0;
  upstream web { server ${upstream}; keepalive 32; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://web;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
    }
  }
}
`;

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
