import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ServerTroubles } from "./server-troubles.ts";

function start() {
  const clock = new FakeClock();
  const told: string[] = [];
  const troubles = new ServerTroubles(clock, ({ tunnelId, name, trouble }) =>
    told.push(`${tunnelId} ${name}: ${trouble ?? "reached"}`),
  );
  return { clock, told, troubles };
}

test("a failure is told at once, and once; then that a stream got through", async () => {
  const { clock, told, troubles } = start();
  troubles.reached(1);
  for (let stream = 0; stream < 100; stream++) troubles.failed(1, "db", "refused");
  expect(told).toEqual(["1 db: refused"]);
  await clock.advance(10_000);
  troubles.failed(1, "db", "refused");
  expect(told).toHaveLength(1);
  for (let stream = 0; stream < 100; stream++) troubles.reached(1);
  expect(told).toEqual(["1 db: refused", "1 db: reached"]);
  await clock.advance(10_000);
  troubles.failed(1, "db", "refused");
  expect(told).toHaveLength(3);
});

test("what changes with each stream is told as it is in the end", async () => {
  const { clock, told, troubles } = start();
  for (let stream = 0; stream < 100; stream++) {
    troubles.failed(1, "db", "refused");
    troubles.reached(1);
  }
  expect(told).toEqual(["1 db: refused"]);
  await clock.advance(2_000);
  expect(told).toEqual(["1 db: refused", "1 db: reached"]);
  troubles.failed(1, "db", "no answer");
  troubles.failed(1, "db", "refused");
  await clock.advance(2_000);
  expect(told.slice(2)).toEqual(["1 db: refused"]);
  await clock.advance(2_000);
  expect(clock.timers).toBe(0);
});

test("one server's trouble is not another's, and a tunnel that is gone is not spoken of", async () => {
  const { clock, told, troubles } = start();
  troubles.failed(1, "db", "refused");
  troubles.failed(2, "web", "the name web is not known");
  troubles.reached(1);
  expect(told).toEqual(["1 db: refused", "2 web: the name web is not known"]);
  expect(troubles.all()).toEqual([
    { tunnelId: 1, name: "db", trouble: undefined },
    { tunnelId: 2, name: "web", trouble: "the name web is not known" },
  ]);
  troubles.forget(1);
  await clock.advance(2_000);
  expect(told).toHaveLength(2);
  expect(troubles.all()).toHaveLength(1);
  troubles[Symbol.dispose]();
  expect(clock.timers).toBe(0);
});
