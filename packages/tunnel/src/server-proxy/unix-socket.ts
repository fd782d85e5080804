/** A unix socket that only its owner can open. */
import { chmodSync, rmSync, statSync } from "node:fs";
import type { Http2Server } from "node:http2";
import { connect } from "node:net";
import { dirname } from "node:path";
import { ConfigurationError } from "@berg/kube/process";

// What the kernel has room for; a longer one would silently become another.
export const longestPath = 107;

/** Takes the place of one that a killed process has left; refuses where somebody answers. */
export async function listenOnSocket(server: Http2Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > longestPath)
    throw new ConfigurationError(
      `the path of the socket has ${Buffer.byteLength(path)} bytes, and the kernel has room for ${longestPath}: ` +
        `use a shorter directory than ${dirname(path)}`,
    );
  checkDirectory(dirname(path));
  if (await isAnswered(path))
    throw new ConfigurationError(`another server proxy answers on ${path}: stop it first, or use another socket`);
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
}

/** Between the making of the socket and its chmod the directory is what keeps others out. */
function checkDirectory(directory: string): void {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode;
  if (mode === undefined)
    throw new ConfigurationError(`the directory ${directory} is not there: make it, with mode 700`);
  if ((mode & 0o077) !== 0) throw new ConfigurationError(`others than its owner may enter ${directory}: chmod 700 it`);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}
