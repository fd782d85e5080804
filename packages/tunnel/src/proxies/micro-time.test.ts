import { type Clock, systemClock } from "@berg/kube";
import { expect, test } from "vitest";
import { microTime } from "./micro-time.ts";

function clockAt(realMs: { now: number }): Clock {
  return { ...systemClock, now: () => Math.floor(realMs.now), monotonic: () => realMs.now - 1_000_000 + 0.4 };
}

test("tells what lies between two milliseconds", () => {
  const real = { now: Date.UTC(2026, 0, 1) + 0.25 };
  const clock = clockAt(real);
  const told: string[] = [];
  // Read a thousand times within some milliseconds, the two clocks have been compared well enough.
  for (let step = 0; step < 1_000; step++) {
    real.now += 0.0073;
    told.push(microTime(clock));
  }
  expect(told).toEqual(told.toSorted());
  expect(new Set(told).size).toBe(1_000);
  real.now = Date.UTC(2026, 0, 1) + 20.5;
  expect(microTime(clock)).toMatch(/^2026-01-01T00:00:00\.020(49\d|50\d)Z$/);
});

test("follows a wall clock that is set, to either side", () => {
  let wall = Date.UTC(2026, 0, 1);
  const clock: Clock = { ...systemClock, now: () => wall, monotonic: () => 7.5 };
  expect(microTime(clock)).toBe("2026-01-01T00:00:00.000000Z");
  wall += 60_000;
  expect(microTime(clock)).toBe("2026-01-01T00:01:00.000000Z");
  wall -= 120_000;
  expect(microTime(clock)).toBe("2025-12-31T23:59:00.000999Z");
});

test("of this machine is never more than a millisecond off", () => {
  for (let turn = 0; turn < 1_000; turn++) {
    const before = Date.now();
    const told = Date.parse(microTime(systemClock));
    expect(told).toBeGreaterThanOrEqual(before);
    expect(told).toBeLessThanOrEqual(Date.now());
  }
});
