/**
 * Where the server proxy is listened for. Who cannot prove to be the server proxy gets no further than a handshake, and
 * holds a place for a few seconds at most: the newest of those that have proved nothing pushes out the oldest, so that
 * many half-open connections never keep the right one from its place.
 */
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock, Logger } from "@berg/kube/process";
import type { KeyAndCertificate } from "@berg/local-certificates";
import type { ConnectRouter } from "@connectrpc/connect";
import { isPeer, type Peer, pairTls } from "../pair/certificate.ts";
import { GrpcServer } from "../pair/grpc-server.ts";
import { SeldomLog } from "../streams/seldom.ts";
import type { IsInside } from "./management.ts";

const handshakeMs = 5_000;
const mostUnproven = 32;

export interface ControlServerOptions {
  own: KeyAndCertificate;
  peer: Peer;
  address: string;
  port: number;
  isInside: IsInside;
  routes: (router: ConnectRouter) => void;
  clock: Clock;
  log: Logger;
}

export class ControlServer implements AsyncDisposable {
  readonly #options: ControlServerOptions;
  readonly #server: Http2SecureServer;
  readonly #grpc: GrpcServer;
  /** By whom they come from, oldest first. */
  readonly #unproven = new Map<string, Socket>();

  private constructor(options: ControlServerOptions) {
    const { own, peer, routes, clock, log } = options;
    this.#options = options;
    this.#server = createSecureServer({
      ...pairTls(own, peer),
      requestCert: true,
      rejectUnauthorized: true,
      handshakeTimeout: handshakeMs,
    });
    // Before TLS takes it over, after which it does not know any more whom it comes from.
    this.#server.prependListener("connection", (socket: Socket) => this.#admit(socket));
    this.#server.on("session", (session) => this.#prove(session));
    // Rubbish, or the wrong certificate: its connection is closed already.
    const warnings = new SeldomLog(clock, log);
    this.#server.on("tlsClientError", ({ message }: Error) =>
      warnings.warn({ error: message }, "somebody who is not the server proxy is turned away"),
    );
    this.#grpc = new GrpcServer(this.#server, routes, clock);
  }

  static async start(options: ControlServerOptions): Promise<ControlServer> {
    const control = new ControlServer(options);
    await new Promise<void>((resolve, reject) => {
      control.#server.once("error", reject);
      control.#server.listen(options.port, options.address, resolve);
    });
    return control;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#unproven.values()) socket.destroy();
    await this.#grpc[Symbol.asyncDispose]();
  }

  #admit(socket: Socket): void {
    if (!this.#options.isInside(socket.remoteAddress ?? "")) {
      socket.resetAndDestroy();
      return;
    }
    if (this.#unproven.size === mostUnproven) {
      const [[origin, oldest] = []] = this.#unproven;
      this.#unproven.delete(origin ?? "");
      oldest?.destroy();
    }
    const origin = originOf(socket);
    this.#unproven.set(origin, socket);
    socket.on("close", () => {
      if (this.#unproven.get(origin) === socket) this.#unproven.delete(origin);
    });
  }

  #prove(session: ServerHttp2Session): void {
    const socket = session.socket as TLSSocket;
    if (isPeer(socket, this.#options.peer)) this.#unproven.delete(originOf(socket));
    else session.destroy();
  }
}

/** TLS wraps a connection in another object: this is what both know of it. */
function originOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
