import { silentLogger } from "@berg/kube";
import { FakeClock, settle } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { followEngine } from "./engine-news.ts";
import { FakeEngine } from "./testing/fake-engine.ts";

async function start() {
  const clock = new FakeClock();
  const fake = new FakeEngine();
  const heard: string[] = [];
  const stop = new AbortController();
  const options = {
    engine: fake.engine,
    clock,
    random: () => 1,
    log: silentLogger,
    async container(id: string) {
      if (id === "unknown") throw new Error("the engine does not answer");
      heard.push(`container ${id}`);
    },
    network: (id: string) => void heard.push(`network ${id}`),
    missed: () => void heard.push("missed"),
  };
  const following = followEngine(options, stop.signal);
  await settle();
  /** What was heard since this was asked last. */
  const news = async () => {
    await settle();
    return heard.splice(0);
  };
  return { clock, fake, news, stop, following, options };
}

test("what happened before one listens may have been missed", async () => {
  const { news, stop, following } = await start();
  expect(await news()).toEqual(["missed"]);
  stop.abort();
  await following;
});

test("containers that come and go are told, and what happens in them is not", async () => {
  const { fake, news, stop, following } = await start();
  await news();
  for (const action of ["create", "start", "exec_create", "exec_start", "exec_died", "health_status", "die", "destroy"])
    fake.tell({ action, containerId: action, labels: {} });
  expect(await news()).toEqual(["container start", "container die", "container destroy"]);
  fake.tellOfNetwork({ action: "connect", networkId: "", containerId: "c" });
  fake.tellOfNetwork({ action: "disconnect", networkId: "n", containerId: "d" });
  fake.tellOfNetwork({ action: "create", networkId: "n", containerId: "" });
  expect(await news()).toEqual(["container c", "container d", "network n"]);
  stop.abort();
  await following;
});

test("an engine that goes away is asked ever more rarely, and its absence is told once, as is its return", async () => {
  const { clock, fake, news, stop, following } = await start();
  await news();
  fake.goAway();
  expect(await news()).toEqual(["missed"]);
  const before = fake.looks;
  await clock.advance(120_000);
  expect(fake.looks - before).toBeLessThan(12);
  expect(fake.looks - before).toBeGreaterThan(5);
  expect(await news()).toEqual([]);
  fake.comeBack();
  await clock.advance(30_000);
  expect(await news()).toEqual(["missed"]);
  fake.tell({ action: "start", containerId: "c", labels: {} });
  expect(await news()).toEqual(["container c"]);
  stop.abort();
  await following;
});

test("an engine that is away from the beginning is told of once", async () => {
  const { options, news, stop, following } = await start();
  stop.abort();
  await following;
  await news();
  const late = new FakeEngine();
  late.goAway();
  const clock = new FakeClock();
  const ending = new AbortController();
  const waiting = followEngine({ ...options, clock, engine: late.engine }, ending.signal);
  await clock.advance(60_000);
  expect(await news()).toEqual(["missed"]);
  ending.abort();
  await waiting;
});

test("whoever cannot look at a container has missed something", async () => {
  const { clock, fake, news, stop, following } = await start();
  await news();
  fake.tell({ action: "start", containerId: "unknown", labels: {} });
  await clock.advance(1000);
  expect(await news()).toEqual(["missed", "missed"]);
  stop.abort();
  await following;
});

test("after its end it listens no more, and leaves no timer", async () => {
  const { clock, fake, stop, following } = await start();
  expect(fake.listeners).toBe(2);
  stop.abort();
  await following;
  expect(fake.listeners).toBe(0);
  expect(clock.timers).toBe(0);
});
