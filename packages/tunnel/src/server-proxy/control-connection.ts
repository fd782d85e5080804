/**
 * One HTTP/2 connection to the client proxy that gRPC is spoken on. Connect's own manager of connections would dial by
 * itself when this one is lost, where a session with a new key has to come first.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Clock } from "@berg/kube/process";
import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { largestMessage } from "../pair/grpc-server.ts";
import { keepAlive } from "../pair/keep-alive.ts";

export class ControlConnection implements Disposable {
  readonly authority = "https://client-proxy";
  readonly #session: ClientHttp2Session;

  constructor(socket: TLSSocket, clock: Clock) {
    this.#session = connect(this.authority, { createConnection: () => socket });
    // Each call on it is told.
    this.#session.on("error", () => {});
    keepAlive(this.#session, clock);
  }

  transport(answerMs: number): Transport {
    return createGrpcTransport({
      baseUrl: this.authority,
      sessionManager: this,
      readMaxBytes: largestMessage,
      acceptCompression: [],
      defaultTimeoutMs: answerMs,
    });
  }

  async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: object,
  ): Promise<ClientHttp2Stream> {
    return this.#session.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** Asked for by Connect; the pings need no such help. */
  notifyResponseByteRead(): void {}

  [Symbol.dispose](): void {
    this.#session.destroy();
  }
}
