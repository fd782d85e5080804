/**
 * The program on the host. Its arguments say all (arguments.ts). It says who it is in its first line on stdout, and what
 * happens in JSON lines on stderr; its owner talks to it on its socket.
 */
import { rmSync } from "node:fs";
import { createServer } from "node:http2";
import { runProcess, systemClock, systemRandom } from "@berg/kube/process";
import type { ConnectRouter } from "@connectrpc/connect";
import { collectGarbageAlone } from "../pair/collect-alone.ts";
import { GrpcServer } from "../pair/grpc-server.ts";
import { stderrLog } from "../pair/log.ts";
import { ServerProxy as ServerProxyService, TunnelControl } from "../protocol/tunnel_pb.ts";
import { readArguments } from "./arguments.ts";
import { startOf, startTimeOf } from "./process.ts";
import { ServerProxy } from "./server-proxy.ts";
import { listenOnSocket } from "./unix-socket.ts";

const clock = systemClock;
const log = stderrLog(clock);

collectGarbageAlone();

void runProcess(log, run);

async function run(stop: AbortSignal): Promise<void> {
  const { socket, name, unwatchedMs } = readArguments(process.argv.slice(2));
  const over = Promise.withResolvers<void>();
  stop.addEventListener("abort", () => over.resolve());
  const proxy = new ServerProxy({
    unwatchedMs,
    clock,
    random: systemRandom,
    log: log.child({ pair: name }),
    onOver: over.resolve,
  });
  const routes = (router: ConnectRouter) =>
    router
      .service(TunnelControl, {
        prepareTunnel: (request) => proxy.tunnels.prepare(request),
        async deleteTunnel({ tunnelId }) {
          await proxy.tunnels.delete(tunnelId);
          return {};
        },
        listTunnels: () => ({ tunnels: proxy.tunnels.list() }),
        async shutdown() {
          log.info({ pair: name }, "told to shut down");
          await proxy[Symbol.asyncDispose]();
          over.resolve();
          return {};
        },
      })
      .service(ServerProxyService, {
        async connect(request, { signal }) {
          await proxy.connect(request, signal);
          return {};
        },
        watch: (_request, { signal }) => proxy.watch(signal),
      });
  const server = createServer();
  const grpc = new GrpcServer(server, routes, clock);
  await listenOnSocket(server, socket);
  const { pid } = process;
  process.stdout.write(
    `${JSON.stringify({ certificate: proxy.certificate, pid, started: startOf(pid), startTime: startTimeOf(pid), socket })}\n`,
  );
  await over.promise;
  await proxy[Symbol.asyncDispose]();
  await grpc[Symbol.asyncDispose]();
  rmSync(socket, { force: true });
}
