import { type Client, ConfigMaps, createClient, createMetrics, LeadershipLost, Leases, silentLogger } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Leading, lead } from "./lead.ts";

let plane: Awaited<ReturnType<typeof startLocalControlPlane>>;
let client: Client;
beforeAll(async () => {
  plane = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
  client = createClient({ connection: plane.apiServer.connection, component: "test" });
});
afterAll(async () => {
  await client?.close();
  await plane?.[Symbol.asyncDispose]();
});

const patience = { timeout: 60_000, interval: 100 };
const slow = { timeout: 150_000 };

/** One that works until it is told to stop, and then writes a last word. */
async function start(lease: string) {
  const stopping = new AbortController();
  const stop = stopping.signal;
  const metrics = await createMetrics();
  const seen: { leading?: Leading } = {};
  const over = lead({ lease, namespace: "default", client, metrics, log: silentLogger, stop }, async (leading) => {
    seen.leading = leading;
    await new Promise<void>((done) => stop.addEventListener("abort", () => done()));
    leading.fence();
    await client.guarded(leading.fence).create(ConfigMaps, { metadata: { namespace: "default", generateName: lease } });
  });
  over.catch(() => {});
  return { seen, over, stop: () => stopping.abort() };
}

test.concurrent("one works; when it has written its last word, the next one does", slow, async () => {
  const first = await start("berg-one");
  await vi.waitFor(() => expect(first.seen.leading).toBeDefined(), patience);
  const second = await start("berg-one");
  first.stop();
  await first.over;
  expect(() => first.seen.leading?.fence()).toThrow("does not lead");
  await vi.waitFor(() => expect(second.seen.leading).toBeDefined(), patience);
  second.stop();
  await second.over;
  const { items } = await client.list(ConfigMaps, { namespace: "default" });
  expect(items.filter(({ metadata }) => metadata.name.startsWith("berg-one"))).toHaveLength(2);
});

test.concurrent("one that is told to stop while it waits ends at once, and the other goes on", slow, async () => {
  const first = await start("berg-two");
  await vi.waitFor(() => expect(first.seen.leading).toBeDefined(), patience);
  const second = await start("berg-two");
  second.stop();
  await second.over;
  expect(second.seen.leading).toBeUndefined();
  first.seen.leading?.fence();
  first.stop();
  await first.over;
});

test.concurrent("one whose lease somebody else holds is told so, and rejects", slow, async () => {
  const first = await start("berg-three");
  await vi.waitFor(() => expect(first.seen.leading).toBeDefined(), patience);
  const lease = await client.get(Leases, "default", "berg-three");
  await client.update(Leases, { ...lease, spec: { ...lease.spec, holderIdentity: "another" } });
  await vi.waitFor(() => expect(first.seen.leading?.lost.aborted).toBe(true), patience);
  first.stop();
  await expect(first.over).rejects.toBeInstanceOf(LeadershipLost);
});

test.concurrent("what goes wrong with the work is told, and the lease is free", slow, async () => {
  const metrics = await createMetrics();
  const options = { lease: "berg-four", namespace: "default", client, metrics, log: silentLogger };
  const stop = new AbortController().signal;
  await expect(lead({ ...options, stop }, async () => Promise.reject(new Error("no kinds")))).rejects.toThrow(
    "no kinds",
  );
  expect((await client.get(Leases, "default", "berg-four")).spec?.holderIdentity ?? "").toBe("");
});
