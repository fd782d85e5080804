/** The least that two processes can do: one accepts and dials the other, which dials the server. */
import { startChild } from "../../runtime/child.ts";
import type { Contender, Site } from "../contender.ts";

export async function startPlainRelay(server: Site): Promise<Contender> {
  await using parts = new AsyncDisposableStack();
  const half = async (target: Site) =>
    parts.use(await startChild<{ port: number; pid: number }>(new URL("./relay.ts", import.meta.url), target)).report;
  const far = await half(server);
  const near = await half({ host: "127.0.0.1", port: far.port });
  const running = parts.move();
  return {
    site: { host: "127.0.0.1", port: near.port },
    pids: [near.pid, far.pid],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
