import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const { signal } = new AbortController();
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("no more at once than there are turns, in the order in which they came", async () => {
  const turns = new Turns(2);
  const began: number[] = [];
  const held: Disposable[] = [];
  for (let i = 0; i < 4; i++) {
    void turns.take(signal).then((turn) => {
      began.push(i);
      held.push(turn);
    });
  }
  await settle();
  expect(began).toEqual([0, 1]);
  held.shift()?.[Symbol.dispose]();
  await settle();
  expect(began).toEqual([0, 1, 2]);
  for (const turn of held.splice(0)) turn[Symbol.dispose]();
  await settle();
  expect(began).toEqual([0, 1, 2, 3]);
});

test("who goes away takes no turn", async () => {
  const turns = new Turns(1);
  const first = await turns.take(signal);
  const leaving = new AbortController();
  const gone = turns.take(leaving.signal);
  const next = turns.take(signal);
  leaving.abort(new Error("enough"));
  await expect(gone).rejects.toThrow("enough");
  first[Symbol.dispose]();
  await next;
});

test("a turn that comes in the moment of an abort is the next one's", async () => {
  const turns = new Turns(1);
  const first = await turns.take(signal);
  const leaving = new AbortController();
  const gone = turns.take(leaving.signal);
  const next = turns.take(signal);
  leaving.abort(new Error("enough"));
  first[Symbol.dispose]();
  await expect(gone).rejects.toThrow("enough");
  await next;
});
