/**
 * The name server of all pods of this node, over UDP and TCP at one port.
 *
 * It listens on every address, since bridges come and go, and the packet rules let pods alone through to it. Who asks
 * is told by the address, which the same rules keep pods from forging. One pod cannot use up what is there for all.
 */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import { type Clock, errorText, type Logger } from "@berg/kube";
import { type Asker, answerMessage } from "./answer.ts";
import { framed, type Upstream } from "./upstream.ts";

export interface DnsServerOptions {
  /** Undefined for an address that may not ask. */
  askerAt(address: string): Asker | undefined;
  upstream: Upstream;
  clock: Clock;
  log: Logger;
  /** All addresses unless told. */
  host?: string;
}

export interface DnsServer extends AsyncDisposable {
  readonly port: number;
}

const attempts = 20;
/** Of one pod, at the same time. */
const limits = { questions: 100, connections: 10 };
const idleMs = 10_000;
/** Pods decide how often something goes wrong. */
const complaintMs = 60_000;

export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { host = "0.0.0.0", clock, log } = options;
  let quietUntil = Number.NEGATIVE_INFINITY;
  const complain = (error: unknown) => {
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + complaintMs;
    log.error({ error: errorText(error) }, "a question for a name could not be answered");
  };
  const questions = new Counts(limits.questions);
  const answer = async (message: Buffer, over: "udp" | "tcp", from: string) => {
    if (!questions.enter(from)) return undefined;
    try {
      return await answerMessage(message, over, options.askerAt(from), options.upstream);
    } finally {
      questions.leave(from);
    }
  };

  let isClosed = false;
  const tcp = createServer({ allowHalfOpen: true });
  const { udp, port } = await listenOnBoth(tcp, host);
  const serveDatagram = async (message: Buffer, from: RemoteInfo) => {
    // A pod that writes its own packets can name this port; nobody can be answered there.
    if (from.port === 0) return;
    const reply = await answer(message, "udp", from.address);
    if (reply && !isClosed) udp.send(reply, from.port, from.address, () => {});
  };
  udp.on("message", (message, from) => void serveDatagram(message, from).catch(complain));
  udp.on("error", complain);

  const open = new Set<Socket>();
  const connections = new Counts(limits.connections);
  tcp.on("connection", (socket) => {
    const from = socket.remoteAddress ?? "";
    if (!connections.enter(from)) return socket.destroy();
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      connections.leave(from);
    });
    serveConnection(socket, (message) => answer(message, "tcp", from), clock, complain);
  });

  return {
    port,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const ended = Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
      for (const socket of open) socket.destroy();
      await ended;
    },
  };
}

/** Whichever port UDP gets may be taken for TCP: then another. */
async function listenOnBoth(tcp: Server, host: string): Promise<{ udp: UdpSocket; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const udp = createSocket("udp4");
    await new Promise<void>((resolve, reject) => {
      udp.once("error", reject);
      udp.bind(0, host, () => {
        udp.off("error", reject);
        resolve();
      });
    });
    const { port } = udp.address();
    try {
      await new Promise<void>((resolve, reject) => {
        tcp.once("error", reject);
        tcp.listen(port, host, () => {
          tcp.off("error", reject);
          resolve();
        });
      });
      return { udp, port };
    } catch (error) {
      udp.close();
      if (attempt === attempts) throw error;
    }
  }
}

/** One question after the other, each with its length in front. A client that is silent or reads nothing is let go. */
function serveConnection(
  socket: Socket,
  answer: (message: Buffer) => Promise<Buffer | undefined>,
  clock: Clock,
  complain: (error: unknown) => void,
): void {
  let received = Buffer.alloc(0);
  let isBusy = false;
  let timer = clock.setTimer(idleMs, () => socket.destroy());
  const work = async () => {
    while (!socket.destroyed && received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const size = 2 + received.readUInt16BE(0);
      const message = received.subarray(2, size);
      received = received.subarray(size);
      timer.cancel();
      timer = clock.setTimer(idleMs, () => socket.destroy());
      const reply = await answer(message);
      if (!reply) return socket.destroy();
      await new Promise((sent) => socket.write(framed(reply), sent));
    }
    if (socket.readableEnded) socket.end();
    else socket.resume();
  };
  const next = () => {
    if (isBusy) return;
    isBusy = true;
    work()
      .catch((error) => {
        complain(error);
        socket.destroy();
      })
      .finally(() => {
        isBusy = false;
      });
  };
  socket.on("error", () => {});
  socket.on("close", () => timer.cancel());
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    // No more is read while it is busy.
    socket.pause();
    next();
  });
  socket.on("end", next);
}

/** How many of something each has. */
class Counts {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  enter(who: string): boolean {
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(who, count + 1);
    return true;
  }

  leave(who: string): void {
    const count = (this.#counts.get(who) ?? 0) - 1;
    if (count > 0) this.#counts.set(who, count);
    else this.#counts.delete(who);
  }
}
