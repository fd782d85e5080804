import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Outbox } from "./outbox.ts";

async function all<T>(from: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const each of from) seen.push(each);
  return seen;
}

describe("an outbox", () => {
  test("gives what was pushed, all and in order, whenever the reader comes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(), fc.constant("pause" as const)), { maxLength: 50 }),
        async (steps) => {
          const outbox = new Outbox<number>();
          const reading = all(outbox);
          for (const step of steps) {
            if (step === "pause") await new Promise(setImmediate);
            else outbox.push(step);
          }
          outbox.end();
          outbox.push(-1);
          expect(await reading).toEqual(steps.filter((step) => step !== "pause"));
        },
      ),
    );
  });

  test("ends rather than keep more than 1,000 for a reader that does not come", async () => {
    const outbox = new Outbox<number>();
    for (let number = 0; number < 5_000; number++) outbox.push(number);
    expect(await all(outbox)).toHaveLength(1_000);
  });

  test("keeps nothing for a reader that has left", async () => {
    const outbox = new Outbox<number>();
    outbox.push(1);
    for await (const _ of outbox) break;
    outbox.push(2);
    expect(await all(outbox)).toEqual([]);
  });
});
