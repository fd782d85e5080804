import { expect, test } from "vitest";
import { makePod } from "../containers/testing/pods.ts";
import { StorageMeter } from "./storage-meter.ts";
import { seen } from "./testing/views.ts";

const limited = makePod(
  { resources: { limits: { "ephemeral-storage": "1Mi" } } },
  {
    volumes: [
      { name: "a", emptyDir: {} },
      { name: "b", emptyDir: { medium: "Memory" } },
      { name: "f", configMap: {} },
    ],
  },
);

test("it is time every ten seconds, not at the start, and once each time", () => {
  const meter = new StorageMeter();
  const times = [0, 9_999, 10_000, 10_001, 19_999, 20_000];
  expect(times.filter((now) => meter.comesDue(limited, now))).toEqual([10_000, 20_000]);
  expect(meter.dueAt).toBe(30_000);
});

test("for a pod without limits it never is", () => {
  const meter = new StorageMeter();
  expect([0, 60_000].filter((now) => meter.comesDue(makePod(), now))).toEqual([]);
  expect(meter.dueAt).toBeUndefined();
});

test("volumes on the disk and running containers are measured; what the engine cannot say is nothing", async () => {
  const site = {
    engine: { containerSize: async (id: string) => (id === "c0" ? 7 : undefined) },
    volumes: { useOf: async (name: string) => name.charCodeAt(0) },
    running: [seen("c"), seen("d")],
  };
  const use = await new StorageMeter().measure(limited, site, new AbortController().signal);
  expect([...use.volumes]).toEqual([["a", 97]]);
  expect([...use.containers]).toEqual([
    ["c", 7],
    ["d", 0],
  ]);
});
