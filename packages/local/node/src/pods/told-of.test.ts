import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ToldOf } from "./told-of.ts";

function start() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const told = new ToldOf(clock, (id) => {
    asked.push(id);
    told.asked(id);
  });
  return { clock, asked, told };
}

test("several events are one question, soon", async () => {
  const { clock, asked, told } = start();
  for (const id of ["a", "a", "b", "a"]) told.hear(id);
  expect(asked).toEqual([]);
  await clock.advance(25);
  expect(asked).toEqual(["a", "b"]);
  told.hear("a");
  await clock.advance(25);
  expect(asked).toEqual(["a", "b", "a"]);
});

test("who asks meanwhile has asked for all, and what comes later is asked again", async () => {
  const { clock, asked, told } = start();
  told.hear("a");
  told.asked("a");
  await clock.advance(100);
  expect(asked).toEqual([]);
  told.hear("a");
  await clock.advance(25);
  expect(asked).toEqual(["a"]);
});

test("a question that waits for its turn is one for all events until then", async () => {
  const clock = new FakeClock();
  const asked: string[] = [];
  const told = new ToldOf(clock, (id) => asked.push(id));
  told.hear("a");
  await clock.advance(25);
  told.hear("a");
  await clock.advance(25);
  expect(asked).toEqual(["a"]);
});

test("at the end no timer is left", () => {
  const { clock, told } = start();
  told.hear("a");
  told.hear("b");
  told.clear();
  expect(clock.timers).toBe(0);
});
