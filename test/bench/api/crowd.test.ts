import { expect, test } from "vitest";
import { sentAt, sourceAddress } from "./crowd.ts";

test("no loopback address has more than 100 sockets, and each is valid", () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 50_000; index++) {
    const address = sourceAddress(index);
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  expect(new Set(counts.values())).toEqual(new Set([100]));
  for (const address of counts.keys()) {
    const [, , third, last] = address.split(".").map(Number) as [number, number, number, number];
    expect(third).toBeLessThanOrEqual(255);
    expect(last).toBeGreaterThanOrEqual(1);
    expect(last).toBeLessThanOrEqual(250);
  }
});

test("the time of a change is read from the message of the instance, and from no other", () => {
  const of = (text: string) => JSON.stringify({ type: "instance", message: { id: "1", message: text } });
  expect(sentAt(of("sent at 1234.5 ms"))).toBe(1234.5);
  expect(sentAt(of("waiting for a node"))).toBeUndefined();
  expect(sentAt('{"type":"pong","message":1}')).toBeUndefined();
});
