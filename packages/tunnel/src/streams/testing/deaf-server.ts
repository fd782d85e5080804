/** A server that never accepts: its queue is full, and the kernel answers nobody any more. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { host } from "./pair.ts";

const program = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer().listen({ port: 0, host: "${host}", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

export async function startDeafServer(): Promise<{ port: number } & AsyncDisposable> {
  const worker = new Worker(program, { eval: true });
  const [port] = await once(worker, "message");
  const fillers: Socket[] = Array.from({ length: 8 }, () => connect(port, host).on("error", () => {}));
  // So many fit into its queue; the others are not answered, like all that come after them.
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, "connect")));
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
