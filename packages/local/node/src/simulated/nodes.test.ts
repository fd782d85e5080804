import { initialEventsEnd, type Stored, type WatchEvent } from "@berg/apimachinery";
import { type Client, Informer, type Node, Nodes, type Patch, silentLogger, type WatchOptions } from "@berg/kube";
import { FakeClock, refusal, settle } from "@berg/kube/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { SimulatedNodes } from "./nodes.ts";

/** Stands in for a server that knows nodes and leases, and writes down what it is asked. */
function fakeServer(clock: FakeClock) {
  const calls: string[] = [];
  const leases = new Set<string>();
  let tell: (events: WatchEvent<Node>[]) => void = () => {};
  const note = (what: string) => calls.push(`${clock.monotonic() / 1000}s ${what}`);
  const client = {
    watch: (_: unknown, options: WatchOptions, onEvents: typeof tell) => {
      tell = onEvents;
      const metadata = { resourceVersion: "1", annotations: { [initialEventsEnd]: "true" } };
      onEvents([{ type: "BOOKMARK", object: { apiVersion: "v1", kind: "Node", metadata } }]);
      return new Promise<void>((_, reject) => {
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true });
      });
    },
    create: async (type: { kind: string }, object: { metadata: { name: string } }) => {
      note(`create ${type.kind} ${object.metadata.name}`);
      if (type.kind === "Lease") leases.add(object.metadata.name);
      return { ...object, metadata: { ...object.metadata, uid: "u-1", resourceVersion: "2" } };
    },
    patch: async (type: { kind: string }, _: string, name: string, patch: Extract<Patch, { body: object }>) => {
      if (type.kind === "Lease" && !leases.has(name)) throw refusal(404);
      const { status } = patch.body as { status?: Node["status"] };
      const ready = status?.conditions?.find((condition) => condition.type === "Ready")?.status;
      note(`patch ${type.kind} ${name}${ready ? ` Ready=${ready}` : ""}`);
    },
  } as unknown as Client;
  return { client, calls, put: (node: Stored<Node>) => tell([{ type: "MODIFIED", object: node }]) };
}

async function startNodes(count: number) {
  const clock = new FakeClock();
  const server = fakeServer(clock);
  const informer = new Informer<Node>({ client: server.client, type: Nodes, clock });
  const nodes = new SimulatedNodes({ client: server.client, informer, count, clock, log: silentLogger });
  const stop = new AbortController();
  await nodes.register(undefined);
  const parts = [informer.run(stop.signal), nodes.controller.run(stop.signal, stop.signal)];
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(parts);
  });
  await settle();
  return { clock, nodes, ...server };
}

describe("simulated nodes", () => {
  test("are registered, and renew their leases every ten seconds", async () => {
    const { clock, calls } = await startNodes(1);
    await clock.advance(25_000);
    expect(calls.filter((call) => call.includes("Lease"))).toEqual([
      "0s create Lease simulated-1",
      "10s patch Lease simulated-1",
      "20s patch Lease simulated-1",
    ]);
    expect(calls[0]).toBe("0s create Node simulated-1");
  });

  test("go silent when killed, and renew at once when revived late", async () => {
    const { clock, nodes, calls } = await startNodes(1);
    nodes.setAlive("simulated-1", false);
    await clock.advance(30_000);
    const dead = calls.splice(0);
    expect(dead).toContain("0s patch Node simulated-1 Ready=Unknown");
    expect(dead.some((call) => call.includes("patch Lease"))).toBe(false);
    nodes.setAlive("simulated-1", true);
    await settle();
    expect(calls).toContain("30s patch Lease simulated-1");
  });

  test("take pods in turn, but not the dead and the cordoned", async () => {
    const { nodes, put } = await startNodes(3);
    const turn = () => Array.from({ length: 4 }, () => nodes.choose());
    expect(turn()).toEqual(["simulated-1", "simulated-2", "simulated-3", "simulated-1"].map((node) => ({ node })));
    nodes.setAlive("simulated-2", false);
    const metadata = {
      name: "simulated-3",
      uid: "u-3",
      resourceVersion: "3",
      creationTimestamp: "2026-01-01T00:00:00Z",
    };
    put({ apiVersion: "v1", kind: "Node", metadata, spec: { unschedulable: true } });
    expect(turn()).toEqual(Array.from({ length: 4 }, () => ({ node: "simulated-1" })));
    nodes.setAlive("simulated-1", false);
    expect(nodes.choose()).toEqual({ message: "0/3 nodes are available: 3 node(s) were unschedulable." });
    expect(() => nodes.setAlive("other", false)).toThrow(
      'there is no simulated node "other" (simulated-1, simulated-2, simulated-3)',
    );
  });
});
