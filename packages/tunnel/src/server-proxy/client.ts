/** How the controller talks to a server proxy: over its socket, with an end to every call, and errors in plain words. */
import { connect as connectSocket } from "node:net";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { largestMessage } from "../pair/grpc-server.ts";
import {
  type PairEvent,
  type PrepareTunnelRequestSchema,
  ServerProxy,
  type Tunnel,
  TunnelControl,
} from "../protocol/tunnel_pb.ts";

export interface ServerProxyClient extends Disposable {
  prepareTunnel(request: MessageInitShape<typeof PrepareTunnelRequestSchema>, signal?: AbortSignal): Promise<Tunnel>;
  deleteTunnel(tunnelId: number, signal?: AbortSignal): Promise<void>;
  listTunnels(signal?: AbortSignal): Promise<Tunnel[]>;
  /** Resolves once the two proxies are connected. */
  connect(client: { address: string; controlPort: number; certificate: string }, signal?: AbortSignal): Promise<void>;
  /** The present state first. Ends only with the signal, with the server proxy, or with an error. */
  watch(signal: AbortSignal): AsyncIterable<PairEvent>;
  /** Of both proxies. */
  shutdown(signal?: AbortSignal): Promise<void>;
}

/** What a server proxy refused, or why it could not be asked. */
export class ServerProxyError extends Error {
  /** Of gRPC: `AlreadyExists`, `Unavailable`… */
  readonly code: keyof typeof Code;

  constructor(message: string, code: keyof typeof Code) {
    super(message);
    this.name = "ServerProxyError";
    this.code = code;
  }
}

// The server proxy gives up sooner by itself, and says why.
const callMs = 20_000;

export function connectServerProxy(socket: string): ServerProxyClient {
  const baseUrl = "http://server-proxy";
  const sessionManager = new Http2SessionManager(baseUrl, {}, { createConnection: () => connectSocket(socket) });
  const transport = createGrpcTransport({
    baseUrl,
    sessionManager,
    readMaxBytes: largestMessage,
    acceptCompression: [],
    defaultTimeoutMs: callMs,
  });
  const control = createClient(TunnelControl, transport);
  const proxy = createClient(ServerProxy, transport);
  const call = async <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    promise.catch((error: unknown) => {
      signal?.throwIfAborted();
      throw inPlainWords(error, socket);
    });
  const of = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
  return {
    prepareTunnel: (request, signal) => call(control.prepareTunnel(request, of(signal)), signal),
    async deleteTunnel(tunnelId, signal) {
      await call(control.deleteTunnel({ tunnelId }, of(signal)), signal);
    },
    async listTunnels(signal) {
      return (await call(control.listTunnels({}, of(signal)), signal)).tunnels;
    },
    async connect(client, signal) {
      await call(proxy.connect(client, of(signal)), signal);
    },
    async *watch(signal) {
      try {
        yield* proxy.watch({}, { signal, timeoutMs: 0 });
      } catch (error) {
        if (!signal.aborted) throw inPlainWords(error, socket);
      }
    },
    async shutdown(signal) {
      await call(control.shutdown({}, of(signal)), signal);
    },
    [Symbol.dispose]: () => sessionManager.abort(),
  };
}

function inPlainWords(error: unknown, socket: string): ServerProxyError {
  const { code, rawMessage, cause } = ConnectError.from(error);
  const { code: reason } = (cause ?? {}) as NodeJS.ErrnoException;
  if (reason === "ENOENT" || reason === "ECONNREFUSED")
    return new ServerProxyError(`no server proxy answers on ${socket}`, "Unavailable");
  return new ServerProxyError(rawMessage, Code[code] as keyof typeof Code);
}
