import { expect, test } from "vitest";
import { FakeClock } from "../../../kube/src/testing/fake-clock.ts";
import { Patience } from "./patience.ts";

const trouble = { type: "TargetReachable", reason: "Away", message: "it is away", again: true };

test("a target is left alone for 5 s, 10 s, … 2 min", async () => {
  const clock = new FakeClock();
  const patience = new Patience(clock, () => 0);
  const rests: number[] = [];
  for (let turn = 0; turn < 7; turn++) {
    patience.failed("u", "facts", trouble);
    rests.push(patience.restMs("u") / 1000);
    expect(patience.resting("u", "facts")).toBe(trouble);
    await clock.advance(patience.restMs("u"));
    expect(patience.resting("u", "facts")).toBeUndefined();
  }
  expect(rests).toEqual([5, 10, 20, 40, 80, 120, 120]);
});

test("other facts end a rest, and begin a new count", () => {
  const clock = new FakeClock();
  const patience = new Patience(clock, () => 0);
  patience.failed("u", "sleeps", { ...trouble, again: false });
  expect(patience.restMs("u")).toBe(600_000);
  expect([patience.resting("u", "sleeps"), patience.resting("u", "awake")]).toEqual([expect.anything(), undefined]);
  patience.failed("u", "awake", trouble);
  expect(patience.restMs("u")).toBe(5_000);
  patience.forget("u");
  expect(patience.resting("u", "awake")).toBeUndefined();
});
