import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { DeadManSwitch } from "./dead-man-switch.ts";

describe("a dead man's switch", () => {
  function make() {
    const clock = new FakeClock();
    let fired = 0;
    const presence = new DeadManSwitch(clock, 1_000, () => fired++);
    return { clock, presence, fired: () => fired };
  }

  test("fires where nobody ever comes", async () => {
    const { clock, fired } = make();
    await clock.advance(999);
    expect(fired()).toBe(0);
    await clock.advance(1);
    expect(fired()).toBe(1);
  });

  test("waits as long as anybody is there, and counts from when the last one left", async () => {
    const { clock, presence, fired } = make();
    const leave = presence.arrive();
    const leaveToo = presence.arrive();
    await clock.advance(5_000);
    leave();
    leave();
    await clock.advance(5_000);
    expect(fired()).toBe(0);
    leaveToo();
    await clock.advance(999);
    presence.arrive()();
    await clock.advance(999);
    expect(fired()).toBe(0);
    await clock.advance(1);
    expect(fired()).toBe(1);
  });

  test("does nothing once it is disposed of, also where somebody leaves later", async () => {
    const { clock, presence, fired } = make();
    const leave = presence.arrive();
    presence[Symbol.dispose]();
    leave();
    await clock.advance(5_000);
    expect([fired(), clock.timers]).toEqual([0, 0]);
  });
});
