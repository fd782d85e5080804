/**
 * A UDP port of this machine whose datagrams go to pods. All those from one address and port go to one pod, and its
 * answers back to them, until nothing has come or gone for a while.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { Clock, Random, Timer } from "@berg/kube";
import { type Endpoint, inTurn } from "../proxy/endpoints.ts";
import { whyNot } from "../proxy/listening-ports.ts";

export interface UdpPortOptions {
  host: string;
  port: number;
  endpoints(): readonly Endpoint[];
  clock: Clock;
  random: Random;
}

interface Conversation {
  readonly pod: Socket;
  /** What came before the socket was ready; undefined since. */
  waiting: Buffer[] | undefined;
  lastMs: number;
}

/** Longer than a player thinks about a datagram, shorter than sockets would pile up. */
const idleMs = 120_000;
const sweepMs = 10_000;
/** Anybody can send from any number of ports; what is above is dropped, as datagrams may be. */
const mostConversations = 1_000;
const mostWaiting = 64;

export class UdpPort {
  readonly #options: UdpPortOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #socket: Socket;
  #sweep: Timer | undefined;

  private constructor(options: UdpPortOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    socket.on("message", (message, from) => this.#received(message, from));
    socket.on("error", () => {});
    this.#sweepLater();
  }

  /** Rejects with a text for people where the port cannot be had. */
  static open(options: UdpPortOptions): Promise<UdpPort> {
    const { host, port } = options;
    const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
    return new Promise((resolve, reject) => {
      socket.once("error", (error: NodeJS.ErrnoException) => {
        socket.close();
        reject(new Error(whyNot(error, host, port)));
      });
      socket.bind(port, host, () => {
        socket.removeAllListeners("error");
        resolve(new UdpPort(options, socket));
      });
    });
  }

  get conversations(): number {
    return this.#conversations.size;
  }

  close(): void {
    this.#sweep?.cancel();
    for (const key of [...this.#conversations.keys()]) this.#end(key);
    this.#socket.close();
  }

  #received(message: Buffer, from: RemoteInfo): void {
    // Nothing can be sent back there.
    if (from.port === 0) return;
    const key = `${from.address} ${from.port}`;
    const conversation = this.#conversations.get(key) ?? this.#begin(key, from);
    if (!conversation) return;
    conversation.lastMs = this.#options.clock.monotonic();
    if (!conversation.waiting) conversation.pod.send(message);
    else if (conversation.waiting.length < mostWaiting) conversation.waiting.push(message);
  }

  #begin(key: string, from: RemoteInfo): Conversation | undefined {
    const [endpoint] = inTurn(this.#options.endpoints(), this.#options.random);
    if (!endpoint || this.#conversations.size >= mostConversations) return undefined;
    const pod = createSocket(isIPv6(endpoint.address) ? "udp6" : "udp4");
    const conversation: Conversation = { pod, waiting: [], lastMs: 0 };
    this.#conversations.set(key, conversation);
    // Nobody listens there any more; the next datagram finds another.
    pod.on("error", () => this.#end(key));
    pod.on("message", (answer) => {
      conversation.lastMs = this.#options.clock.monotonic();
      this.#socket.send(answer, from.port, from.address);
    });
    // Not as a callback: that would be called where there is no way to the pod, too.
    pod.once("connect", () => {
      for (const message of conversation.waiting ?? []) pod.send(message);
      conversation.waiting = undefined;
    });
    // Only what comes from there is taken for an answer.
    pod.connect(endpoint.port, endpoint.address);
    return conversation;
  }

  #end(key: string): void {
    this.#conversations.get(key)?.pod.close();
    this.#conversations.delete(key);
  }

  #sweepLater(): void {
    this.#sweep = this.#options.clock.setTimer(sweepMs, () => {
      const oldest = this.#options.clock.monotonic() - idleMs;
      for (const [key, { lastMs }] of this.#conversations) if (lastMs < oldest) this.#end(key);
      this.#sweepLater();
    });
  }
}
