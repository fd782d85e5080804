/** A gRPC server over HTTP/2, whoever listens for it, that ends with all its connections. */
import type { Http2SecureServer, Http2Server, Http2Session } from "node:http2";
import { type Clock, sleep } from "@berg/kube/process";
import { type ConnectRouter, type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

/** On which connection a call came in. */
export const connectionKey = createContextKey<Http2Session | undefined>(undefined);

/** Of a message; 1,000 tunnels are a tenth of it. */
export const largestMessage = 4 * 1024 * 1024;
// What is being answered when the server ends, such as Shutdown, is answered still.
const lastAnswersMs = 1_000;

export class GrpcServer implements AsyncDisposable {
  readonly #server: Http2Server | Http2SecureServer;
  readonly #clock: Clock;
  readonly #connections = new Set<Http2Session>();
  readonly #stop = new AbortController();

  constructor(server: Http2Server | Http2SecureServer, routes: (router: ConnectRouter) => void, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    server.on("session", (connection) => {
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
    });
    const handler = connectNodeAdapter({
      routes,
      grpc: true,
      grpcWeb: false,
      connect: false,
      // A small message that becomes a large one is of no use here.
      acceptCompression: [],
      readMaxBytes: largestMessage,
      shutdownSignal: this.#stop.signal,
      contextValues: (request): ContextValues =>
        createContextValues().set(connectionKey, "stream" in request ? request.stream.session : undefined),
    });
    server.on("request", handler);
  }

  /** Resolves when all connections are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#stop.abort();
    const deadline = new AbortController();
    const forced = sleep(this.#clock, lastAnswersMs, deadline.signal).then(
      () => {
        for (const connection of this.#connections) connection.destroy();
      },
      () => {},
    );
    for (const connection of this.#connections) connection.close();
    await closed;
    deadline.abort();
    await forced;
  }
}
