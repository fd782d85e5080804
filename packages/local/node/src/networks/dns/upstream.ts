/** The host's own name servers, for names that are not of the cluster. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { connect, isIP, isIPv6 } from "node:net";
import type { Clock } from "@berg/kube";

export interface Upstream {
  /** Asks the same question, and returns the answer as it came. Rejects where nobody answers. */
  relay(message: Buffer, over: "udp" | "tcp"): Promise<Buffer>;
  /** IPv4 addresses of a name; none where it has none. */
  addresses(name: string): Promise<string[]>;
}

export interface UpstreamOptions {
  clock: Clock;
  /** `host:port` of each, in the order in which they are asked. */
  servers?: () => Promise<readonly NameServer[]>;
}

export interface NameServer {
  readonly address: string;
  readonly port: number;
}

const patienceMs = 2_000;

export function hostUpstream({ clock, servers = hostNameServers }: UpstreamOptions): Upstream {
  return {
    async relay(message, over) {
      const ask = over === "udp" ? askOverUdp : askOverTcp;
      let failure: unknown = new Error("this machine has no name server");
      for (const server of await servers()) {
        try {
          return await ask(server, message, clock);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    async addresses(name) {
      const known = await servers();
      if (known.length === 0) throw new Error("this machine has no name server");
      const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
      resolver.setServers(known.map(({ address, port }) => `${isIPv6(address) ? `[${address}]` : address}:${port}`));
      return resolver.resolve4(name);
    },
  };
}

/** Read each time: a laptop changes its network. */
export async function hostNameServers(path = "/etc/resolv.conf"): Promise<NameServer[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].flatMap(([, address = ""]) =>
    isIP(address.replace(/%.*/, "")) ? [{ address, port: 53 }] : [],
  );
}

/** From a port of its own and under a number of its own, so that nobody can guess an answer. */
function askOverUdp({ address, port }: NameServer, message: Buffer, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address.replace(/%.*/, "")) ? "udp6" : "udp4");
    const question = renumbered(message, randomInt(0x10000));
    const end = (finish: () => void) => {
      timer.cancel();
      socket.close();
      finish();
    };
    const timer = clock.setTimer(patienceMs, () => end(() => reject(new Error(`${address} does not answer`))));
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("message", (answer) => {
      // Once connected, only this server's own answers come in.
      if (isAnswerTo(answer, question)) end(() => resolve(renumbered(answer, message.readUInt16BE(0))));
    });
    // Not as the callback of `connect`: that one is called also where there is no way to the server.
    socket.on("connect", () => socket.send(question));
    socket.connect(port, address);
  });
}

function askOverTcp({ address, port }: NameServer, message: Buffer, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, address);
    let received = Buffer.alloc(0);
    const end = (finish: () => void) => {
      timer.cancel();
      socket.destroy();
      finish();
    };
    const timer = clock.setTimer(patienceMs, () => end(() => reject(new Error(`${address} does not answer`))));
    socket.on("error", (error) => end(() => reject(error)));
    socket.on("end", () => end(() => reject(new Error(`${address} ends without an answer`))));
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const size = received.length < 2 ? Number.POSITIVE_INFINITY : received.readUInt16BE(0);
      if (received.length < size + 2) return;
      const answer = received.subarray(2, size + 2);
      if (isAnswerTo(answer, message)) end(() => resolve(answer));
      else end(() => reject(new Error(`${address} answers another question`)));
    });
    socket.write(framed(message));
  });
}

/** With its length in front, as messages go over TCP. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function renumbered(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}

function isAnswerTo(answer: Buffer, question: Buffer): boolean {
  return answer.length >= 12 && answer.readUInt16BE(0) === question.readUInt16BE(0) && (answer[2] ?? 0) >= 0x80;
}
