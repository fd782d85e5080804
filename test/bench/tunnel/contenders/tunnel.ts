/** Ours: both proxies as they are shipped, as processes of this machine, with one tunnel. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectServerProxy, type ServerProxyClient } from "../../../../packages/tunnel/src/server-proxy/client.ts";
import { environment } from "../../../../packages/tunnel/src/vocabulary.ts";
import type { Contender, Site } from "../contender.ts";
import { withDescriptors } from "../descriptors.ts";
import { Program } from "./program.ts";

const sources = join(import.meta.dirname, "../../../../packages/tunnel/src");
const host = "127.0.0.1";
const introduction = /^(\{.*"certificate".*\})$/m;

/** `descriptors`: of each proxy, which counts them when it starts. As many as the bench has, unless told otherwise. */
export async function startTunnel(server: Site, descriptors?: number): Promise<Contender> {
  await using parts = new AsyncDisposableStack();
  const run = (file: string, args: string[], env: Record<string, string>) => {
    const program = [join(sources, file), ...args];
    const [command, rest] =
      descriptors === undefined
        ? [process.execPath, program]
        : withDescriptors(descriptors, [process.execPath, ...program]);
    return parts.use(new Program(command, rest, { PATH: process.env.PATH, ...env }));
  };
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const socket = join(directory, "server.sock");
  const far = run("server-proxy/main.ts", ["--socket", socket, "--name", "bench"], {});
  const { certificate: peer } = JSON.parse(await far.says(introduction));
  const near = run("client-proxy/main.ts", [], {
    [environment.peer]: peer,
    [environment.management]: `${host}/8`,
    [environment.controlPort]: "0",
    [environment.dataPort]: "0",
  });
  const { certificate, controlPort } = JSON.parse(await near.says(introduction));
  const control = parts.use(connectServerProxy(socket));
  await control.connect({ address: host, controlPort, certificate });
  parts.defer(keepWatching(control));
  const { clientProxyPort } = await control.prepareTunnel({
    ...{ tunnelId: 1, name: "bench", clientProxyAddress: host },
    ...{ serverAddress: server.host, serverPort: server.port },
  });
  const running = parts.move();
  return {
    site: { host, port: clientProxyPort },
    pids: [near.pid, far.pid],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** A pair that nobody watches ends by itself: so does that of a bench which was killed. */
function keepWatching(control: ServerProxyClient): () => Promise<void> {
  const stopping = new AbortController();
  const watching = (async () => {
    for await (const { what } of control.watch(stopping.signal)) {
      if (what.case === "serverUnreachable") process.stderr.write(`${what.value.message}\n`);
    }
  })();
  return async () => {
    stopping.abort();
    await watching;
  };
}
