import { type Client, type Node, silentLogger } from "@berg/kube";
import { FakeClock, refusal, settle } from "@berg/kube/testing";
import type { EngineInfo } from "@berg/local-engine";
import { expect, onTestFinished, test } from "vitest";
import type { Reach } from "../pods/engine-view.ts";
import { Registration } from "./registration.ts";

const info: EngineInfo = {
  ...{ name: "podman", version: "4", architecture: "aarch64", rootless: false, cpus: 4, memoryBytes: 8 * 1024 ** 3 },
  ...{ kernel: "6.1", operatingSystem: "Debian" },
};
const machine = { ip: "192.0.2.7", storageBytes: 1e9, machineId: "m", bootId: "b" };

/** Stands in for a server that keeps one Node and its lease, and writes down what it is asked. */
async function setUp() {
  const clock = new FakeClock();
  const calls: string[] = [];
  let node: Node | undefined;
  let hasLease = false;
  const say = (what: string) => calls.push(`${clock.monotonic() / 1000}s ${what}`);
  const client = {
    get: async () => node ?? Promise.reject(refusal(404)),
    create: async (type: { kind: string }, object: Node) => {
      say(`create ${type.kind}`);
      if (type.kind === "Lease") hasLease = true;
      else node = { ...object, metadata: { ...object.metadata, uid: "u" } };
    },
    patch: async (type: { kind: string }, _: string, __: string, patch: { body: { status?: Node["status"] } }) => {
      if (type.kind === "Lease" && !hasLease) throw refusal(404);
      say(`patch ${type.kind}`);
      if (node && patch.body.status) node = { ...node, status: patch.body.status };
    },
  } as unknown as Client;
  let reach: Reach = { is: "there", info };
  let shortage: string | undefined;
  const registration = new Registration(
    { client, name: "laptop", machine, clock, log: silentLogger, reach: () => reach, shortage: async () => shortage },
    info,
  );
  const stop = new AbortController();
  await registration.register(stop.signal);
  const running = registration.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const set = async (next: Reach) => {
    reach = next;
    registration.changed();
    await settle();
  };
  const condition = (wanted: string) => node?.status?.conditions?.find(({ type }) => type === wanted);
  const ready = () => condition("Ready");
  const lacks = (text: string | undefined) => (shortage = text);
  return { clock, calls, set, ready, condition, lacks, forget: () => (node = undefined) };
}

test("a heartbeat renews the lease; the status is written when it changes, and every five minutes", async () => {
  const { clock, calls } = await setUp();
  expect(calls).toEqual(["0s create Node", "0s patch Node", "0s create Lease"]);
  calls.length = 0;
  await clock.advance(30_000);
  expect(calls).toEqual(["10s patch Lease", "20s patch Lease", "30s patch Lease"]);
  await clock.advance(270_000);
  expect(calls.filter((call) => call.endsWith("Node"))).toEqual(["300s patch Node"]);
});

test("an engine that goes is told at once, with the reason, and so is its return", async () => {
  const { clock, set, ready } = await setUp();
  await clock.advance(5000);
  await set({ is: "gone", why: "connect ENOENT" });
  expect(ready()).toMatchObject({
    status: "False",
    reason: "KubeletNotReady",
    message: "container runtime is down: connect ENOENT",
    lastTransitionTime: "2026-01-01T00:00:05Z",
  });
  await clock.advance(5000);
  await set({ is: "there", info });
  expect(ready()).toMatchObject({ status: "True", lastTransitionTime: "2026-01-01T00:00:10Z" });
});

test("a disk that runs short is told with the next heartbeat, and so is that it has room again", async () => {
  const { clock, condition, lacks, calls } = await setUp();
  const pressure = () => condition("DiskPressure");
  expect(pressure()).toMatchObject({ status: "False" });
  lacks("less than 2048 MiB are free in /data");
  await clock.advance(10_000);
  const message = "no new pods start here: less than 2048 MiB are free in /data";
  expect(pressure()).toMatchObject({ status: "True", reason: "KubeletHasDiskPressure", message });
  calls.length = 0;
  await clock.advance(20_000);
  expect(calls).toEqual(["20s patch Lease", "30s patch Lease"]);
  lacks(undefined);
  await clock.advance(10_000);
  expect(pressure()).toMatchObject({ status: "False", reason: "KubeletHasNoDiskPressure" });
});

test("a Node that somebody deleted is made again", async () => {
  const { clock, calls, forget } = await setUp();
  forget();
  calls.length = 0;
  await clock.advance(10_000);
  expect(calls).toContain("10s create Node");
});
