import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { ProcessClock } from "../testing/process-clock.ts";
import { eventLoopCheck, informersCheck, LagMonitor } from "./checks.ts";

describe("the event loop", () => {
  function setUp() {
    const world = new FakeClock();
    const clock = new ProcessClock(world);
    const monitor = new LagMonitor(clock);
    return { world, clock, monitor, check: eventLoopCheck(monitor) };
  }

  test("is well while timers come on time", async () => {
    const { world, check, monitor } = setUp();
    await world.advance(60_000);
    expect(check()).toBeUndefined();
    expect(monitor.lagMs).toBe(0);
  });

  test("is not well after a block of five seconds, whether asked before or after the late timer, and well again at the next", async () => {
    const { world, clock, check } = setUp();
    await world.advance(10_500);
    clock.freeze("stopped"); // a long computation looks the same: timers come late, clocks go on
    await world.advance(5500);
    clock.thaw(() => expect(check()).toBe("the event loop is 5.0 s behind"));
    await settle();
    expect(check()).toBe("the event loop is 5.0 s behind");
    await world.advance(1000);
    expect(check()).toBeUndefined();
  });

  test("bears a shorter block", async () => {
    const { world, clock, check } = setUp();
    clock.freeze("stopped");
    await world.advance(5900);
    clock.thaw(() => expect(check()).toBeUndefined());
    expect(check()).toBeUndefined();
  });

  test("is no longer watched after a stop", async () => {
    const { world, monitor } = setUp();
    await world.advance(3000);
    monitor.stop();
    expect(world.timers).toBe(0);
  });
});

test("informers are well while they hear something, and named when they do not", () => {
  const informers = [
    { resource: "pods", silentSeconds: 300 },
    { resource: "deployments.apps", silentSeconds: 20 },
  ];
  const check = informersCheck(() => informers);
  expect(check()).toBeUndefined();
  informers.push({ resource: "namespaces", silentSeconds: 300.1 });
  informers.push({ resource: "secrets", silentSeconds: Number.POSITIVE_INFINITY });
  expect(check()).toBe("nothing heard for over 300 s about namespaces, secrets");
});
