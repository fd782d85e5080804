/** The client proxy: listens for clients on the container network, and takes what it is told from the server proxy. */
import type { Clock, Logger } from "@berg/kube/process";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { makeProxyCertificate } from "../pair/certificate.ts";
import { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { limitsOf } from "../pair/tunnel-request.ts";
import { type Listening, Tunnels } from "../pair/tunnels.ts";
import { ClientProxy as ClientProxyService, type PrepareTunnelRequest, TunnelControl } from "../protocol/tunnel_pb.ts";
import { ClientStreams } from "../streams/index.ts";
import { ControlServer } from "./control-server.ts";
import type { ClientProxySettings } from "./environment.ts";
import { managementAddress, membership } from "./management.ts";
import { Sessions } from "./sessions.ts";

/** What the controller needs to bring the pair together. */
export interface Introduction {
  certificate: string;
  controlPort: number;
  dataPort: number;
  managementAddress: string;
}

/** Says what it is when it listens; resolves when it is over: told to stop or to shut down, or left alone for too long. */
export async function runClientProxy(
  settings: ClientProxySettings,
  { clock, log, introduce }: { clock: Clock; log: Logger; introduce: (self: Introduction) => void },
  stop: AbortSignal,
): Promise<void> {
  const { peer, management } = settings;
  const own = makeProxyCertificate("client proxy", clock);
  const address = await managementAddress(management, clock, stop);
  if (address === undefined) return;
  const over = Promise.withResolvers<void>();
  stop.addEventListener("abort", () => over.resolve());
  if (stop.aborted) over.resolve();

  const isInside = membership(management);
  await using streams = new ClientStreams({ dataAddress: address, dataPort: settings.dataPort, isInside, clock, log });
  const { dataPort } = await streams.start();
  const tunnels = new Tunnels({
    open: (request) => open(streams, request),
    close: async ({ tunnelId }) => streams.close(tunnelId),
    openStreams() {
      const counts = new Map(streams.list().map(({ tunnel, open }) => [tunnel.id, open]));
      return (id) => counts.get(id) ?? 0;
    },
    areIdsFinal: false,
  });
  using presence = new DeadManSwitch(clock, settings.aloneMs, () => {
    log.warn({ seconds: settings.aloneMs / 1_000 }, "no server proxy has been here for too long: ending");
    over.resolve();
  });
  const sessions = new Sessions(streams, presence, dataPort, clock, log);
  const routes = (router: ConnectRouter) =>
    router
      .service(ClientProxyService, { session: (from, context) => sessions.session(from, context) })
      .service(TunnelControl, {
        prepareTunnel: (request) => tunnels.prepare(request),
        async deleteTunnel({ tunnelId }) {
          await tunnels.delete(tunnelId);
          return {};
        },
        listTunnels: () => ({ tunnels: tunnels.list() }),
        shutdown() {
          log.info({}, "told to shut down");
          over.resolve();
          return {};
        },
      });
  await using control = await ControlServer.start({
    own,
    peer,
    address,
    port: settings.controlPort,
    isInside,
    routes,
    clock,
    log,
  });
  introduce({ certificate: own.certificate, controlPort: control.port, dataPort, managementAddress: address });
  await over.promise;
  streams.resetAll();
}

async function open(streams: ClientStreams, request: PrepareTunnelRequest): Promise<Listening> {
  const { tunnelId: id, name, clientProxyAddress: address, clientProxyPort: port } = request;
  try {
    return await streams.open({ id, name, address, port, limits: limitsOf(request) });
  } catch (error) {
    // A port or an address that cannot be had: the text says which, and whoever asked can ask for another.
    if (error instanceof Error) throw new ConnectError(error.message, Code.FailedPrecondition);
    throw error;
  }
}
