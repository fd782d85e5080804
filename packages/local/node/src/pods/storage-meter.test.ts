import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { makePod } from "../containers/testing/pods.ts";
import { etcFile, terminationFile } from "./pod-directory.ts";
import { StorageMeter } from "./storage-meter.ts";
import { seen } from "./testing/views.ts";

const roomy = { resources: { limits: { "ephemeral-storage": "1Gi" } } };
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

test("the files that we put into containers are measured: they are as long as the pod makes them", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-storage-"));
  const measure = async () => {
    const site = {
      engine: { containerSize: async () => 0, inspectContainer: async () => undefined },
      volumes: { useOf: async () => 0 },
      ...{ running: [], directory },
    };
    return (await new StorageMeter().measure(makePod(roomy), site, new AbortController().signal)).files;
  };
  expect(await measure()).toBe(0);
  const files = [etcFile(directory, "hosts"), etcFile(directory, "hostname"), terminationFile(directory, "c", 0)];
  for (const file of files) {
    const before = await measure();
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, Buffer.alloc(1024 * 1024, 1));
    expect((await measure()) - before, file).toBeGreaterThanOrEqual(1024 * 1024);
  }
  await rm(directory, { recursive: true });
});

test("volumes on the disk and running containers are measured; what the engine cannot say is nothing", async () => {
  const site = {
    engine: {
      containerSize: async (id: string) => (id === "c0" ? 7 : undefined),
      inspectContainer: async () => undefined,
    },
    volumes: { useOf: async (name: string) => name.charCodeAt(0) },
    running: [seen("c"), seen("d")],
    directory: "/nonexistent",
  };
  const use = await new StorageMeter().measure(limited, site, new AbortController().signal);
  expect([...use.volumes]).toEqual([["a", 97]]);
  expect([...use.containers]).toEqual([
    ["c", 7],
    ["d", 0],
  ]);
});
