import type { Stored } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { Memories } from "./memories.ts";
import type { Memory } from "./memory.ts";
import { listenerOf } from "./pair-listener.ts";

const object = { metadata: { uid: "u", name: "p" } } as Stored<ContainerNetworkTunnelProxy>;

function start(memory: Partial<Memory> = {}) {
  const memories = new Memories();
  memories.of(object, false);
  memories.update("u", memory);
  const told: string[] = [];
  const looks: string[] = [];
  const recorder = { event: (_object: unknown, _type: string, reason: string) => void told.push(reason) };
  const clock = new FakeClock();
  const enqueue = (name: string, afterMs = 0) => void looks.push(afterMs > 0 ? `${name} in ${afterMs}` : name);
  const listener = listenerOf(object, { memories, enqueue, recorder, clock });
  return { listener, told, looks, clock, now: () => memories.get("u") };
}

const pair = {} as Memory["pair"];
const failed = { state: "Failed", retryAt: 99_000, failures: 8 } as never;
const ready = { state: "Ready", retryAt: undefined } as never;

test("when the proxies hear each other again, what has failed is due at once", () => {
  const { listener, told, now } = start({
    pair,
    tunnels: new Map([
      ["a", failed],
      ["b", ready],
    ]),
  });
  listener.outOfTouch("no route");
  expect(now()).toMatchObject({ outOfTouch: "no route" });
  expect(now()?.tunnels.get("a")).toBe(failed);
  listener.outOfTouch(undefined);
  expect(now()?.outOfTouch).toBe(undefined);
  expect(now()?.tunnels.get("a")).toMatchObject({ retryAt: 0, failures: 0 });
  expect(now()?.tunnels.get("b")).toBe(ready);
  expect(told).toEqual(["ProxiesDisconnected", "ProxiesConnected"]);
});

test("what is known already is no news", () => {
  const { listener, told, looks } = start({ pair });
  listener.outOfTouch(undefined);
  expect([told, looks]).toEqual([[], []]);
});

test("before there is a pair nobody is told", () => {
  const { listener, told, looks } = start();
  listener.outOfTouch("not connected yet");
  expect([told, looks]).toEqual([[], ["p"]]);
});

test("the end of a proxy is a failure", () => {
  const { listener, looks, now } = start({ pair });
  listener.ended("exit code 1");
  expect([now()?.failure, looks]).toEqual(["The server proxy has ended (exit code 1)", ["p"]]);
});

test("the end of what a start has left is none", () => {
  const { listener, now } = start({ heldUp: { why: "the engine is away", failures: 1, retryAt: 0 } });
  listener.ended("exit code 1");
  expect(now()?.failure).toBe(undefined);
});

test("the first reason for the end is kept", () => {
  const { listener, now } = start({ pair, failure: "its container has ended" });
  listener.ended("exit code 1");
  expect(now()?.failure).toBe("its container has ended");
});

describe("servers", () => {
  const db = { id: 1, name: "db" };
  const web = { id: 2, name: "web" };
  const troubles = (memory: Memory | undefined) =>
    [...(memory?.servers ?? [])].map(([id, { trouble }]) => [id, trouble]);

  test("that cannot be reached are known until a stream gets through", () => {
    const { listener, told, now } = start({ pair });
    listener.serverUnreachable(db, "refused");
    listener.serverUnreachable(web, "no answer");
    listener.serverReached(1);
    expect(troubles(now())).toEqual([
      [1, undefined],
      [2, "The server cannot be reached: no answer"],
    ]);
    expect(told).toEqual(["ServerUnreachable", "ServerUnreachable"]);
  });

  test("of which nothing new is told cost nothing", () => {
    const { listener, told, looks } = start({ pair });
    listener.serverReached(1);
    listener.serverUnreachable(db, "refused");
    listener.serverUnreachable(db, "refused");
    expect([told, looks]).toEqual([["ServerUnreachable"], ["p"]]);
  });

  test("that come and go are looked at every ten seconds, and as they are in the end", async () => {
    const { listener, looks, clock, now } = start({ pair });
    for (let stream = 0; stream < 1_000; stream++) {
      listener.serverUnreachable(db, "refused");
      listener.serverReached(1);
      await clock.advance(25);
    }
    expect(looks).toEqual(["p", "p in 10000", "p in 10000", "p in 10000"]);
    expect(troubles(now())).toEqual([[1, undefined]]);
  });
});
