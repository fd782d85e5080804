import { FakeClock } from "@berg/kube/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Pace, type Turn } from "./pace.ts";

/** Stands in line for as long as it has bytes. */
class Sender {
  left: number;
  sent = 0;
  readonly #pace: Pace;
  readonly #onSent: (bytes: number) => void;

  constructor(pace: Pace, bytes: number, onSent: (bytes: number) => void = () => {}) {
    this.#pace = pace;
    this.left = bytes;
    this.#onSent = onSent;
    if (bytes > 0) pace.queue(this.turn);
  }

  readonly turn: Turn = (most) => {
    const bytes = Math.min(most, this.left);
    this.left -= bytes;
    this.sent += bytes;
    if (this.left > 0) this.#pace.queue(this.turn);
    this.#onSent(bytes);
    return bytes;
  };
}

const manyBytes = 1_000_000_000;

test("at once goes what was in store, and one piece; the rest when it is paid for", async () => {
  const clock = new FakeClock();
  // A store of 20,480 bytes, a piece of 2,048.
  const sender = new Sender(new Pace(clock, 204_800), manyBytes);
  expect(sender.sent).toBe(11 * 2048);
  await clock.advance(9);
  expect(sender.sent).toBe(11 * 2048);
  await clock.advance(1);
  expect(sender.sent).toBe(12 * 2048);
  await clock.advance(1000);
  expect(sender.sent).toBe(112 * 2048);
});

test.each([
  { rate: 1, piece: 1024 },
  { rate: 250_000, piece: 2500 },
  { rate: 1_000_000_000, piece: 65_536 },
])("a piece is what goes in 10 ms, but a kibibyte at least and 64 at most: $piece at $rate a second", (given) => {
  const pieces: number[] = [];
  const turn = (most: number) => pieces.push(most);
  new Pace(new FakeClock(), given.rate).queue(turn);
  expect(pieces).toEqual([given.piece]);
});

test("a long rest does not fill the store beyond its size", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 204_800);
  new Sender(pace, 1);
  await clock.advance(3_600_000);
  expect(new Sender(pace, manyBytes).sent).toBe(11 * 2048);
});

test("however many send at once, they go no faster than the rate together, nor slower", async () => {
  const arrival = fc.record({ bytes: fc.integer({ min: 0, max: 200_000 }), afterMs: fc.constantFrom(0, 0, 0, 7, 500) });
  const arrivals = fc.array(arrival, { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20_000, max: 20_000_000 }), arrivals, async (rate, arrivals) => {
      const clock = new FakeClock();
      const pace = new Pace(clock, rate);
      const piece = Math.min(65_536, Math.max(1024, rate / 100));
      let sent = 0;
      let tooMuch = 0;
      const senders: Sender[] = [];
      const onSent = (bytes: number) => {
        sent += bytes;
        tooMuch = Math.max(tooMuch, sent - (rate * (clock.monotonic() + 100)) / 1000 - piece - 1);
      };
      for (const { bytes, afterMs } of arrivals) {
        await clock.advance(afterMs);
        senders.push(new Sender(pace, bytes, onSent));
      }
      const left = senders.reduce((sum, sender) => sum + sender.left, 0);
      await clock.advance(((left + piece) / rate) * 1000 + 2);
      expect(tooMuch).toBe(0);
      expect(senders.map((sender) => sender.left)).toEqual(senders.map(() => 0));
      expect(clock.timers).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test("they take turns, in the order of their coming", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 204_800);
  new Sender(pace, 11 * 2048);
  let order = "";
  for (const name of "abc")
    new Sender(pace, manyBytes, () => {
      order += name;
    });
  await clock.advance(45);
  new Sender(pace, 1, () => {
    order += "d";
  });
  await clock.advance(45);
  expect(order).toBe("abcabcadb");
});

test("who queues again while it stands in line keeps its place, and has one turn", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 204_800);
  new Sender(pace, 11 * 2048);
  const order: string[] = [];
  const a = () => order.push("a");
  const b = () => order.push("b");
  for (const turn of [a, b, a]) pace.queue(turn);
  await clock.advance(1000);
  expect(order).toEqual(["a", "b"]);
});

test("who has nothing to pass on when its turn comes costs the next no time", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 204_800);
  new Sender(pace, 11 * 2048);
  for (let silent = 0; silent < 100; silent++) pace.queue(() => 0);
  const sender = new Sender(pace, 1);
  await clock.advance(10);
  expect(sender.left).toBe(0);
});

test("who leaves the line has no turn, and when all have left no timer is left", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock, 204_800);
  const crowd = Array.from({ length: 200 }, () => new Sender(pace, manyBytes));
  const sent = () => crowd.reduce((sum, sender) => sum + sender.sent, 0);
  const before = sent();
  expect(crowd.every(({ turn }) => pace.isInLine(turn))).toBe(true);
  for (const { turn } of crowd.slice(1)) pace.leave(turn);
  expect(clock.timers).toBe(1);
  const [last] = crowd as [Sender];
  pace.leave(last.turn);
  expect(clock.timers).toBe(0);
  expect(crowd.some(({ turn }) => pace.isInLine(turn))).toBe(false);
  // The crowd owes one piece, whatever its size.
  const honest = new Sender(pace, 1);
  await clock.advance(10);
  expect(honest.left).toBe(0);
  await clock.advance(10_000);
  expect(sent()).toBe(before);
});
