/** When a pod is looked at again without cause: never at once for what is not done then, which would go on without end. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Container, PodSpec } from "../containers/shapes.ts";
import { makePod } from "../containers/testing/pods.ts";
import { PodRun } from "./pod-run.ts";
import type { SeenContainer } from "./seen.ts";
import type { PodSurroundings } from "./surroundings.ts";
import { exited, makeView, pause, seen } from "./testing/views.ts";

const hourMs = 3_600_000;
const tokenVolume = {
  volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }],
} as Partial<PodSpec>;
const stopped = new AbortController();
const never = async (signal?: AbortSignal) => {
  signal?.throwIfAborted();
  await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
};
let dataDir: string;
let run: PodRun | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "berg-run-"));
});
afterEach(async () => {
  await run?.stop();
  await rm(dataDir, { recursive: true });
});

/** A pod that runs, and whose network is known. */
async function running(container: Partial<Container>, spec: Partial<PodSpec> = {}) {
  const clock = new FakeClock();
  const given = {
    clock,
    seen: [pause(), seen("c")] as SeenContainer[],
    woken: 0,
    mayHaveToken: true,
    /** How often a ConfigMap was read, and what its readers wait for. */
    reads: 0,
    reading: Promise.resolve(),
    wait: async () => (await run?.pass(stopped.signal)) ?? "none",
  };
  const pod = makePod(container, { restartPolicy: "Never", ...spec });
  const client = {
    patch: async () => pod,
    async get() {
      given.reads++;
      await given.reading;
      return { data: { a: "1" } };
    },
    async createSubresource(...parts: unknown[]) {
      if (!given.mayHaveToken) await never((parts.at(-1) as { signal: AbortSignal }).signal);
      return { status: { token: "t", expirationTimestamp: new Date(clock.now() + hourMs).toISOString() } };
    },
  };
  const around = {
    client: client as unknown as Client,
    engine: { stopContainer: (_id: string, _grace: number, signal?: AbortSignal) => never(signal) },
    view: { reach: { is: "there", info: {} }, pod: () => makeView({ seen: given.seen }).seen },
    prober: { watch() {}, forget() {}, quieten() {}, verdicts: () => ({}) },
    networks: { attach: async () => ({ network: "n", resolvConf: "" }), podStarted() {}, podGone() {} },
    events: { ofPod() {}, ofContainer() {} },
    ...{ clock, log: silentLogger, node: "laptop", dataDir, capabilities: [], startedAt: clock.now() },
    host: () => ({ ip: "192.0.2.7", runtime: "podman" }),
    wake: () => void given.woken++,
  } as unknown as PodSurroundings;
  run = new PodRun(pod, around);
  expect(await given.wait(), "while it is taken over").toBe("none");
  await vi.waitFor(() => expect(given.woken).toBe(1), { timeout: 20_000 });
  return given;
}

test("a token is renewed after four fifths of its life, and nobody looks while that goes on", async () => {
  const given = await running({}, tokenVolume);
  expect(await given.wait()).toBe(0.8 * hourMs);
  await given.clock.advance(0.8 * hourMs);
  given.mayHaveToken = false;
  expect([await given.wait(), await given.wait()]).toEqual(["none", "none"]);
});

test("nobody renews the token of a pod that has ended", async () => {
  const given = await running({}, tokenVolume);
  await given.clock.advance(0.9 * hourMs);
  given.seen = [pause(), exited(seen("c"), 0)];
  expect([await given.wait(), await given.wait()]).toEqual(["none", "none"]);
});

test("nobody measures, or renews the token of, a pod whose network is lost", async () => {
  const given = await running({ resources: { limits: { "ephemeral-storage": "1Mi" } } }, tokenVolume);
  expect(await given.wait()).toBe(10_000);
  await given.clock.advance(hourMs);
  given.seen = [exited(pause(), 137), seen("c")];
  expect([await given.wait(), await given.wait()]).toEqual(["none", "none"]);
});

test("what changes while files are written is written afterwards", async () => {
  const given = await running({}, { volumes: [{ name: "v", configMap: { name: "cm" } }] });
  const before = given.reads;
  const { promise, resolve } = Promise.withResolvers<void>();
  given.reading = promise;
  run?.refreshVolumes();
  await given.wait();
  await vi.waitFor(() => expect(given.reads).toBe(before + 1), { timeout: 20_000 });
  run?.refreshVolumes();
  await given.wait();
  resolve();
  await vi.waitFor(() => expect(given.woken).toBe(2), { timeout: 20_000 });
  await given.wait();
  await vi.waitFor(() => expect(given.reads).toBe(before + 2), { timeout: 20_000 });
});
