/**
 * The law of the whole: whatever two ends do, they cannot tell the tunnel from a direct connection. A script of writes,
 * pauses, ends and a reset is played over both; what each end has received in the end must be the same.
 */
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectEnd, End, startServer, type TestServer } from "./testing/ends.ts";
import { type Pair, startPair } from "./testing/pair.ts";

type Side = "client" | "server";
type Step = { by: Side } & (
  | { do: "write"; bytes: number }
  | { do: "pause" | "resume" | "end" | "reset" }
  | { do: "look away"; turns: number }
);

const step: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom<Side>("client", "server"),
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ do: fc.constant("write" as const), bytes: fc.integer({ min: 1, max: 300 }) }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant("write" as const), bytes: fc.integer({ min: 1, max: 300_000 }) }),
      },
      // More than the kernel holds for one who does not read.
      { weight: 1, arbitrary: fc.constant({ do: "write" as const, bytes: 12_000_000 }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant("look away" as const), turns: fc.integer({ min: 1, max: 20 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const) }) },
    ),
  )
  .map(([by, what]) => ({ by, ...what }));

/** No byte may change places unseen: 251 is prime, and no buffer is so long. */
const pattern = Buffer.alloc(32 * 1024 * 1024, Buffer.from(Array.from({ length: 251 }, (_, at) => at)));

interface Outcome {
  /** How it ended, for this end; a reset by its own hand is told by nobody. */
  state: End["state"] | "reset by itself";
  received: Buffer;
  written: number;
}

class Player {
  readonly end: End;
  written = 0;
  hasEnded = false;
  hasReset = false;

  constructor(end: End) {
    this.end = end;
  }

  play(step: Step, other: Player): void {
    const { socket } = this.end;
    if (this.hasReset) return;
    if (step.do === "pause") socket.pause();
    if (step.do === "resume") socket.resume();
    // After its own end, or both at once, even a direct connection may show a reset or not.
    if (step.do === "reset" && !this.hasEnded && !other.hasReset) {
      this.hasReset = true;
      socket.resetAndDestroy();
    }
    if (this.hasEnded || !socket.writable) return;
    if (step.do === "write" && this.written + step.bytes <= pattern.length) {
      socket.write(pattern.subarray(this.written, this.written + step.bytes));
      this.written += step.bytes;
    }
    if (step.do === "end") this.finish();
  }

  finish(): void {
    if (!this.hasReset) this.end.socket.resume();
    if (this.hasEnded || this.hasReset) return;
    this.hasEnded = true;
    this.end.socket.end();
  }

  get isDone(): boolean {
    return this.hasReset || this.end.state !== "open";
  }

  get outcome(): Outcome {
    const state = this.hasReset ? "reset by itself" : this.end.state;
    return { state, received: this.end.received, written: this.written };
  }
}

let server: TestServer;
let pair: Pair;
let ports: { unlimited: number; atPace: number };
let onAccepted: (socket: Socket) => void = () => {};

beforeAll(async () => {
  server = await startServer((socket) => onAccepted(socket));
  pair = await startPair();
  // The store lasts for some reads: often a stream has to wait, and never for long.
  const limits = { bytesPerSecond: 50_000_000 };
  ports = { unlimited: await pair.tunnel(server.port), atPace: await pair.tunnel(server.port, { id: 2, limits }) };
});

afterAll(async () => {
  await pair[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function play(port: number, script: readonly Step[]): Promise<Record<Side, Outcome>> {
  const accepted = new Promise<Socket>((resolve) => {
    onAccepted = resolve;
  });
  const client = new Player(connectEnd(port));
  const players = { client, server: new Player(new End(await accepted)) };
  for (const step of script) {
    if (step.do === "look away") for (let turn = 0; turn < step.turns; turn++) await new Promise(setImmediate);
    else players[step.by].play(step, players[step.by === "client" ? "server" : "client"]);
  }
  for (const player of Object.values(players)) player.finish();
  const isDone = () => Object.values(players).every((player) => player.isDone);
  await expect.poll(isDone, { timeout: 25_000, interval: 2 }).toBe(true);
  return { client: players.client.outcome, server: players.server.outcome };
}

function expectSame(side: Outcome, direct: Outcome, writtenByOther: number): void {
  expect(side.state).toBe(direct.state);
  const { received } = side;
  expect(received.length).toBeLessThanOrEqual(writtenByOther);
  expect(received.equals(pattern.subarray(0, received.length))).toBe(true);
  // After a reset, how much of it arrives is chance, here as there.
  if (side.state === "end") expect(received.length).toBe(direct.received.length);
}

test.each([
  { name: "without a limit", way: "unlimited", numRuns: 100 },
  { name: "with a limit of bandwidth", way: "atPace", numRuns: 40 },
] as const)("no end can tell it from a direct connection, $name", { timeout: 300_000 }, async ({ way, numRuns }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (script) => {
      const direct = await play(server.port, script);
      const tunnel = await play(ports[way], script);
      expectSame(tunnel.client, direct.client, tunnel.server.written);
      expectSame(tunnel.server, direct.server, tunnel.client.written);
    }),
    { numRuns, endOnFailure: false },
  );
});
