/** Speaks HTTP/1.1 with clients, on connections that others have accepted: plain requests first, then whatever comes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@berg/kube";
import type { Surroundings } from "./destination.ts";
import { EndpointAgent } from "./endpoint-agent.ts";
import { forward, sendPage } from "./forward.ts";
import { lastWords } from "./last-words.ts";
import type { Limits } from "./limits.ts";
import { type AskedFor, type Entrance, onwardOf } from "./onward.ts";
import { writtenPage } from "./pages.ts";
import { PlainLane } from "./plain/lane.ts";
import { forwardUpgrade, isWebSocket } from "./upgrade.ts";

export interface HttpProxyOptions extends Surroundings {
  limits: Limits;
  clock: Clock;
}

/** How often Node looks for clients that are too slow. */
const slownessCheckMs = 1_000;

export class HttpProxy {
  readonly #options: HttpProxyOptions;
  readonly #server: Server;
  readonly #entrances = new WeakMap<Socket, Entrance>();
  readonly #agents = new WeakMap<Socket, EndpointAgent>();

  constructor(options: HttpProxyOptions) {
    this.#options = options;
    const { limits } = options;
    this.#server = createServer({
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headerMs,
      // A body may be as long, and take as long, as it likes, if only it goes on.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(slownessCheckMs, limits.headerMs),
      shouldUpgradeCallback: isWebSocket,
    });
    this.#server.timeout = limits.idleMs;
    // Node would leave out those beyond its own limit without a word.
    this.#server.maxHeadersCount = 0;
    // A client may say all that it has to say, close its side, and wait for the answer.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    const serve = (incoming: IncomingMessage, answer: ServerResponse) => this.#serve(incoming, answer);
    this.#server.on("request", serve);
    // Whoever stands behind says whether it wants the body.
    this.#server.on("checkContinue", serve);
    this.#server.on("upgrade", (incoming, socket, head) => this.#upgrade(incoming, socket as Socket, head));
    // The server never listens, but for this: it begins to look for slow clients.
    this.#server.emit("listening");
  }

  /** Takes over a connection on which a client is about to speak HTTP. */
  take(client: Socket, entrance: Entrance): void {
    const handOver = () => {
      this.#entrances.set(client, entrance);
      this.#server.emit("connection", client);
    };
    client.once("end", () => this.#closeSoon(client));
    new PlainLane(client, entrance, { ...this.#options, handOver });
  }

  /** A client that has closed its side may wait for an answer, which an endpoint could hold back for ever. */
  #closeSoon(client: Socket): void {
    const { clock, limits } = this.#options;
    const timer = clock.setTimer(limits.halfClosedMs, () => client.destroy());
    client.once("close", () => timer.cancel());
  }

  close(): void {
    this.#server.close();
  }

  #serve(incoming: IncomingMessage, answer: ServerResponse): void {
    const onward = onwardOf(askedFor(incoming), this.#entranceOf(incoming.socket), this.#options);
    const { limits } = this.#options;
    if ("status" in onward) sendPage(incoming, answer, onward);
    else forward(incoming, answer, onward, { agent: this.#agentOf(incoming.socket), limits });
  }

  #upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    // Node looks after this connection no more.
    socket.on("error", () => socket.destroy());
    const onward = onwardOf(askedFor(incoming), this.#entranceOf(socket), this.#options);
    if ("status" in onward) lastWords(socket, this.#options).end(writtenPage(onward));
    else forwardUpgrade(incoming, socket, head, onward, this.#options).catch(() => socket.destroy());
  }

  #entranceOf(socket: Socket): Entrance {
    const entrance = this.#entrances.get(socket);
    if (!entrance) throw new TypeError("a request came from a connection that was not handed over");
    return entrance;
  }

  #agentOf(socket: Socket): EndpointAgent {
    const known = this.#agents.get(socket);
    if (known) return known;
    const { random, limits } = this.#options;
    const agent = new EndpointAgent({ random, connectMs: limits.connectMs }, limits.idleMs);
    this.#agents.set(socket, agent);
    socket.once("close", () => agent.destroy());
    return agent;
  }
}

function askedFor({ method = "GET", url = "", rawHeaders }: IncomingMessage): AskedFor {
  return { method, url, rawHeaders };
}
