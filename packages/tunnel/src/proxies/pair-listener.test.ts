import type { Stored } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import { expect, test } from "vitest";
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
  const listener = listenerOf(object, { memories, enqueue: (name) => void looks.push(name), recorder, clock });
  return { listener, told, looks, now: () => memories.get("u") };
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

test("the first reason for the end is kept", () => {
  const { listener, now } = start({ failure: "its container has ended" });
  listener.ended("exit code 1");
  expect(now()?.failure).toBe("its container has ended");
});
