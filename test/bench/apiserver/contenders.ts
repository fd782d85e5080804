/** The two servers that are compared, each from nothing, in a directory of its own, with writes that wait for the disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "../../control-plane/control-plane.ts";
import type { Server } from "../instances/connect.ts";
import { residentMiB } from "../process.ts";
import { startChild } from "../runtime/child.ts";

export interface Contender extends AsyncDisposable {
  readonly server: Server;
  /** From nothing to ready. */
  readonly startMs: number;
  /** All its processes together. */
  residentMiB(): Promise<number>;
}

export type Contestant = () => Promise<Contender>;

export async function startEmbedded(): Promise<Contender> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "berg-bench-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const started = performance.now();
  const child = stack.use(
    await startChild<Server & { pid: number }>(new URL("./embedded.ts", import.meta.url), { dataDir }),
  );
  const startMs = performance.now() - started;
  const { pid, ...server } = child.report;
  const running = stack.move();
  return {
    server,
    startMs,
    residentMiB: () => residentMiB(pid),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export async function startReal(): Promise<Contender> {
  const started = performance.now();
  const real = await startControlPlane({ controllerManager: false, scheduler: false, durable: true });
  const startMs = performance.now() - started;
  const { ca = "" } = await real.connection.tls();
  return {
    server: { server: real.server, ca, token: real.token },
    startMs,
    async residentMiB() {
      const parts = [real.etcd, real.apiServer].map(({ pid }) => residentMiB(pid as number));
      return (await Promise.all(parts)).reduce((sum, part) => sum + part);
    },
    [Symbol.asyncDispose]: () => real.stop(),
  };
}
