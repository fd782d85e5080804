/** Connections that begin with TLS: by the server name they are passed on as they are, or TLS ends here. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { type Clock, errorText, type Logger } from "@berg/kube";
import type { Backends, RoutingTable, ServedListener } from "../routing/table.ts";
import type { CertificateContexts } from "./certificate-contexts.ts";
import { connectToAny, NoEndpoint } from "./connect.ts";
import type { Surroundings } from "./destination.ts";
import { drawBackend } from "./endpoints.ts";
import type { HttpProxy } from "./http-proxy.ts";
import { join } from "./join.ts";
import { lastWords } from "./last-words.ts";
import type { Limits } from "./limits.ts";
import type { Entrance } from "./onward.ts";
import { peekHello } from "./peek-hello.ts";

export interface TlsProxyOptions extends Surroundings {
  http: HttpProxy;
  contexts: CertificateContexts;
  limits: Limits;
  clock: Clock;
  log: Logger;
}

const alerts = { internalError: 80, unrecognizedName: 112 };

export class TlsProxy {
  readonly #options: TlsProxyOptions;

  constructor(options: TlsProxyOptions) {
    this.#options = options;
  }

  /** Takes over a connection. Never rejects. */
  async take(socket: Socket, entrance: Entrance): Promise<void> {
    socket.on("error", () => socket.destroy());
    const { clock, limits, log, table } = this.#options;
    const hello = await peekHello(socket, { clock, ms: limits.headerMs });
    if (hello?.state !== "complete") return void socket.destroy();
    const serverName = hello.serverName ?? "";
    const listener = listenerFor(table(), entrance.port, serverName);
    if (!listener) return this.#refuse(socket, alerts.unrecognizedName);
    try {
      await this.#serve(socket, entrance, listener, serverName);
    } catch (error) {
      if (error instanceof NoEndpoint || socket.destroyed) return void socket.destroy();
      log.warn({ listener: listener.id, serverName, error: errorText(error) }, "cannot serve a TLS connection");
      this.#refuse(socket, alerts.internalError);
    }
  }

  async #serve(socket: Socket, entrance: Entrance, listener: ServedListener, serverName: string): Promise<void> {
    if (listener.kind === "http") return void socket.destroy();
    if (listener.kind === "passthrough") {
      const backends = listener.routes.first(serverName);
      return backends ? this.#tunnel(socket, backends) : this.#refuse(socket, alerts.unrecognizedName);
    }
    const routes = listener.kind === "https" ? listener.rules : listener.routes;
    // Made for names that are known here, or anybody could have any number of them made.
    const certified = routes.first(serverName) && serverName ? serverName : listener.hostname;
    if (listener.certificate.from === "issuer" && !certified) return this.#refuse(socket, alerts.unrecognizedName);
    const context = await this.#options.contexts.get(listener.certificate, certified ?? "");
    if (listener.kind === "https") {
      const secure = endTls(socket, context, ["http/1.1"]);
      return this.#options.http.take(secure, { ...entrance, listenerId: listener.id });
    }
    const backends = listener.routes.first(serverName);
    if (!backends) return this.#refuse(socket, alerts.unrecognizedName);
    const secure = endTls(socket, context);
    if (await this.#handshake(secure)) await this.#tunnel(secure, backends);
  }

  /** Until it is done nobody is called. */
  #handshake(secure: TLSSocket): Promise<boolean> {
    const { clock, limits } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimer(limits.headerMs, () => secure.destroy());
      const settle = (done: boolean) => {
        timer.cancel();
        resolve(done);
      };
      secure.once("secure", () => settle(true));
      secure.once("close", () => settle(false));
    });
  }

  async #tunnel(client: Socket, backends: Backends): Promise<void> {
    const { endpointsOf, random, limits } = this.#options;
    const service = drawBackend(backends, random)?.service;
    if (!service) throw new NoEndpoint();
    const leaving = new AbortController();
    const leave = () => leaving.abort(new NoEndpoint());
    client.once("close", leave);
    const { connectMs } = limits;
    const connecting = { random, connectMs, allowHalfOpen: true, signal: leaving.signal };
    const upstream = await connectToAny(endpointsOf(service), connecting);
    client.off("close", leave);
    join(client, upstream, limits);
  }

  /** By a fatal alert, so that the client can say what was wrong. */
  #refuse(socket: Socket, alert: number): void {
    lastWords(socket, this.#options).end(Buffer.from([21, 3, 3, 0, 2, 2, alert]));
  }
}

function listenerFor(table: RoutingTable, port: number, serverName: string): ServedListener | undefined {
  return table.ports.get(port)?.listeners.first(serverName);
}

function endTls(socket: Socket, secureContext: SecureContext, alpn?: string[]): TLSSocket {
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    ...(alpn && { ALPNProtocols: alpn }),
  });
  secure.on("error", () => secure.destroy());
  return secure;
}
