import type { Stored } from "@berg/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "./endpoint-slice.ts";
import type { Group } from "./endpoints.ts";
import { mostPerSlice, planSlices } from "./plan.ts";

const labels = { a: "b" };
const endpoint = (uid: string): Endpoint => ({
  addresses: ["10.0.0.1"],
  conditions: { ready: true, serving: true, terminating: false },
  targetRef: { kind: "Pod", namespace: "x", name: uid, uid },
});
const group = (port: number, uids: string[]): Group => ({
  addressType: "IPv4",
  ports: [{ name: "", protocol: "TCP", port }],
  endpoints: uids.map(endpoint),
});
const slice = (name: string, { addressType, ports, endpoints }: Group) =>
  ({ metadata: { name, uid: name, labels }, addressType, ports, endpoints }) as unknown as Stored<EndpointSlice>;
const plan = (groups: Group[], found: Stored<EndpointSlice>[]) => planSlices(groups, ["IPv4"], found, labels);

test("what is as it should be is left alone", () => {
  const one = group(80, ["a", "b"]);
  expect(plan([one], [slice("s", group(80, ["b", "a"]))])).toEqual({ create: [], update: [], remove: [] });
});

test("without endpoints there is one empty slice, and no second", () => {
  expect(plan([], []).create).toEqual([{ addressType: "IPv4", ports: [], endpoints: [] }]);
  const empty = slice("s", { addressType: "IPv4", ports: [], endpoints: [] });
  expect(plan([], [empty])).toEqual({ create: [], update: [], remove: [] });
  expect(plan([], [empty, slice("t", group(80, ["a"]))]).remove.map(({ metadata }) => metadata.name)).toEqual(["t"]);
});

test("a slice takes a hundred endpoints", () => {
  const many = group(
    80,
    Array.from({ length: 250 }, (_, n) => String(n)),
  );
  expect(plan([many], []).create.map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50]);
});

test("another label is a change", () => {
  expect(planSlices([group(80, ["a"])], ["IPv4"], [slice("s", group(80, ["a"]))], {}).update).toHaveLength(1);
});

test("each endpoint stands in one slice of its ports, none is too full, and then nothing is left to do", () => {
  const uids = fc.uniqueArray(fc.integer({ min: 0, max: 400 }).map(String), { maxLength: 320 });
  fc.assert(
    fc.property(uids, uids, (before, after) => {
      let slices: Stored<EndpointSlice>[] = [];
      const carryOut = (wanted: string[]) => {
        const todo = plan(wanted.length > 0 ? [group(80, wanted)] : [], slices);
        const gone = new Set(todo.remove.map(({ metadata }) => metadata.uid));
        const updated = new Map(todo.update.map((one) => [one.metadata.uid, one]));
        const made = todo.create.map((one, n) => slice(`${slices.length}-${n}-${wanted.length}`, one));
        slices = slices
          .filter(({ metadata }) => !gone.has(metadata.uid))
          .map((one) => updated.get(one.metadata.uid) ?? one);
        slices.push(...made);
        return todo;
      };
      carryOut(before);
      carryOut(after);
      const named = slices.flatMap(({ endpoints }) => endpoints ?? []).map(({ targetRef }) => targetRef.uid);
      expect(named.sort()).toEqual(after.toSorted());
      expect(slices.length).toBeGreaterThan(0);
      for (const { endpoints } of slices) expect(endpoints?.length).toBeLessThanOrEqual(mostPerSlice);
      expect(carryOut(after)).toEqual({ create: [], update: [], remove: [] });
    }),
    { numRuns: 30 },
  );
});
