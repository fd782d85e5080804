import type { TunnelConfiguration } from "@berg/resources";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AppliedTunnel } from "../memory.ts";
import { hasWork, planTunnels } from "./plan.ts";

const tunnel = (name: string, serverPort = 1): TunnelConfiguration => ({
  ...{ name, serverPort, serverAddress: "localhost", clientProxyAddress: "0.0.0.0", clientProxyPort: 0 },
  limits: { maxStreams: 1 },
});

const applied = (id: number, configuration: TunnelConfiguration | undefined, more: Partial<AppliedTunnel> = {}) => ({
  ...{ id, configuration, state: "Ready", errorMessage: "", addresses: [], port: 1, timestamp: "", failures: 0 },
  ...{ retryAt: undefined, ...more },
});

const plan = (wanted: TunnelConfiguration[], tunnels: Record<string, unknown>, now = 100) =>
  planTunnels({ wanted, applied: new Map(Object.entries(tunnels)) as never, lastTunnelId: 9, now });

test.each([
  { name: "new ones get the next ids", wanted: [tunnel("a"), tunnel("b")], tunnels: {}, prepare: [10, 11], remove: [] },
  {
    name: "what is as wanted stays",
    wanted: [tunnel("a")],
    tunnels: { a: applied(1, tunnel("a")) },
    prepare: [],
    remove: [],
  },
  { name: "what is not wanted goes", wanted: [], tunnels: { a: applied(1, tunnel("a")) }, prepare: [], remove: [1] },
  {
    name: "what is another now goes, and comes with a new id",
    wanted: [tunnel("a", 2)],
    tunnels: { a: applied(1, tunnel("a")) },
    prepare: [10],
    remove: [1],
  },
  {
    name: "what is not known to be the same is taken for another",
    wanted: [tunnel("a")],
    tunnels: { a: applied(1, undefined) },
    prepare: [10],
    remove: [1],
  },
  {
    name: "what failed is tried again with its id",
    wanted: [tunnel("a")],
    tunnels: { a: applied(1, tunnel("a"), { state: "Failed", retryAt: 100 }) },
    prepare: [1],
    remove: [],
  },
  {
    name: "but not before its time",
    wanted: [tunnel("a"), tunnel("b")],
    tunnels: {
      a: applied(1, tunnel("a"), { state: "Failed", retryAt: 300 }),
      b: applied(2, tunnel("b"), { state: "Failed", retryAt: 200 }),
    },
    prepare: [],
    remove: [],
    nextAt: 200,
  },
  {
    name: "unless it has changed",
    wanted: [tunnel("a", 2)],
    tunnels: { a: applied(1, tunnel("a"), { state: "Failed", retryAt: 300 }) },
    prepare: [10],
    remove: [1],
  },
  {
    name: "what could not be closed waits, and what replaces it",
    wanted: [tunnel("a", 2)],
    tunnels: {
      a: applied(1, tunnel("a"), { state: "Failed", retryAt: 300, isUndeleted: true }),
      b: applied(2, tunnel("b"), { state: "Failed", retryAt: 200, isUndeleted: true }),
    },
    prepare: [],
    remove: [],
    nextAt: 200,
  },
  {
    name: "and is closed when it is time, also where the spec is as it was again",
    wanted: [tunnel("a")],
    tunnels: { a: applied(1, tunnel("a"), { state: "Failed", retryAt: 100, isUndeleted: true }) },
    prepare: [10],
    remove: [1],
  },
])("$name", ({ wanted, tunnels, prepare, remove, nextAt }) => {
  const made = plan(wanted, tunnels);
  expect(made.preparations.map(({ id }) => id)).toEqual(prepare);
  expect(made.deletions.map(({ id }) => id)).toEqual(remove);
  expect(made.nextAt).toBe(nextAt);
});

test("from anywhere to anything: what is done is what is wanted, no id comes twice, and then there is nothing to do", () => {
  const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"));
  const spec = names.chain((all) =>
    fc.tuple(...all.map((name) => fc.integer({ min: 1, max: 3 }).map((port) => tunnel(name, port)))),
  );
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 8 }), (specs) => {
      const tunnels = new Map<string, AppliedTunnel>();
      const used = new Set<number>();
      let lastTunnelId = 0;
      for (const wanted of specs) {
        const next = planTunnels({ wanted, applied: tunnels, lastTunnelId, now: 0 });
        for (const { name } of next.deletions) tunnels.delete(name);
        for (const { id, configuration } of next.preparations) {
          expect(used.has(id)).toBe(false);
          used.add(id);
          lastTunnelId = Math.max(lastTunnelId, id);
          tunnels.set(configuration.name, applied(id, configuration) as AppliedTunnel);
        }
        const now = [...tunnels.values()].map(({ configuration }) => configuration);
        expect(new Set(now)).toEqual(new Set(wanted));
        expect(hasWork(planTunnels({ wanted, applied: tunnels, lastTunnelId, now: 0 }))).toBe(false);
      }
    }),
  );
});
