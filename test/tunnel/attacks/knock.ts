/**
 * Comes to many ports, or to one with something to say, and tells what became of each call. Runs in the test, and as a
 * program in the attacker's container, which has nothing but Node: `node knock.ts '[{"host":…,"port":…}]'`.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface Call {
  host: string;
  port: number;
  /** In base64; sent as soon as there is a connection. */
  say?: string;
  /** A handshake first, with this certificate, or with none. */
  tls?: { key?: string; cert?: string };
  /** After which nobody has answered. */
  patienceMs?: number;
}

export interface Outcome {
  /** `unreachable`: no connection, be it refused or unanswered. `silent`: it was let in and nothing happened. */
  end: "unreachable" | "reset" | "ended" | "silent";
  /** What it was told, in base64. */
  told: string;
}

const atOnce = 400;

export async function knock({ host, port, say, tls, patienceMs = 10_000 }: Call): Promise<Outcome> {
  const told: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Outcome["end"]>();
  const socket: Socket = connect({ host, port });
  let isConnected = false;
  const late = setTimeout(() => resolve(isConnected ? "silent" : "unreachable"), patienceMs);
  socket.on("connect", () => {
    isConnected = true;
  });
  socket.on("error", () => resolve(isConnected ? "reset" : "unreachable"));
  const talk = tls ? connectTls({ socket, ...tls, rejectUnauthorized: false, ALPNProtocols: ["h2"] }) : socket;
  talk.on("error", () => resolve(isConnected ? "reset" : "unreachable"));
  talk.on("data", (bytes) => told.push(bytes));
  talk.on("end", () => resolve("ended"));
  if (say !== undefined) talk.write(Buffer.from(say, "base64"));
  const end = await promise;
  clearTimeout(late);
  talk.destroy();
  socket.destroy();
  return { end, told: Buffer.concat(told).toString("base64") };
}

/** In the order of the calls; not too many at once. */
export async function knockOnAll(calls: readonly Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const left = calls.entries();
  const caller = async () => {
    for (const [i, call] of left) outcomes[i] = await knock(call);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return outcomes;
}

if (import.meta.main) process.stdout.write(JSON.stringify(await knockOnAll(JSON.parse(process.argv[2] ?? "[]"))));
