import type { ManagedFieldsEntry } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnyObject } from "../registry/resource.ts";
import { applyObject } from "./apply-object.ts";
import { readFieldsV1 } from "./fields-v1.ts";
import { readManagers, writeManagers } from "./managers.ts";
import { withDefaults } from "./testing/defaults.ts";
import { configMaps, deployments, widgets } from "./testing/kinds.ts";
import type { Step } from "./testing/play.ts";
import { configMapBody, deploymentBody, steps, widgetBody } from "./testing/random-steps.ts";
import { trackUpdate } from "./track-update.ts";
import { apiVersionOf, type TrackedKind } from "./tracked-kind.ts";
import { withoutNewTimes } from "./unchanged-times.ts";
import type { JsonObject } from "./values.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const later = now + 60_000;

function whole(kind: TrackedKind, body: JsonObject): AnyObject {
  const metadata = { name: "a", uid: "u", ...(body.metadata as object | undefined) };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...body, metadata } as AnyObject;
}

function withEntries(object: AnyObject, managedFields: ManagedFieldsEntry[] | undefined): AnyObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
}

/** A small server: the last state wins. */
function play(kind: TrackedKind, start: AnyObject, requests: Step[], moment: number): AnyObject {
  let live = start;
  for (const { verb, manager, body } of requests) {
    const applied = whole(kind, body);
    if (verb === "apply") {
      const request = { kind, name: "a", live, applied, manager, force: true, subresource: "", now: moment };
      live = withDefaults(kind.kind, applyObject(request).object) as AnyObject;
    } else {
      const updated = withDefaults(kind.kind, applied) as AnyObject;
      live = withEntries(updated, trackUpdate({ kind, live, updated, manager, subresource: "", now: moment }));
    }
  }
  return live;
}

function created(kind: TrackedKind, body: JsonObject): AnyObject {
  const updated = withDefaults(kind.kind, whole(kind, body)) as AnyObject;
  return withEntries(
    updated,
    trackUpdate({ kind, live: undefined, updated, manager: "creator", subresource: "", now }),
  );
}

const kinds: [string, TrackedKind, fc.Arbitrary<JsonObject>][] = [
  ["config maps", configMaps, configMapBody],
  ["deployments", deployments, deploymentBody],
  ["widgets", widgets, widgetBody],
];

describe.each(kinds)("whatever is done to %s", (_name, kind, body) => {
  const history = fc.tuple(body, steps(body, ["apply", "update"], [""]));

  test("who changes something owns it alone", () => {
    fc.assert(
      fc.property(history, body, ([start, requests], last) => {
        const live = play(kind, created(kind, start), requests, now);
        const updated = withDefaults(kind.kind, whole(kind, last)) as AnyObject;
        const entries = trackUpdate({ kind, live, updated, manager: "z", subresource: "", now: later }) ?? [];
        const fieldsFor = (isZ: boolean) =>
          entries.filter(({ manager }) => (manager === "z") === isZ).map(({ fieldsV1 }) => readFieldsV1(fieldsV1));
        for (const taken of fieldsFor(true)) {
          for (const left of fieldsFor(false)) expect([...taken.intersection(left).paths()]).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("what is stored can be read, and is sorted", () => {
    fc.assert(
      fc.property(history, ([start, requests]) => {
        const { managedFields = [] } = play(kind, created(kind, start), requests, later).metadata;
        expect(JSON.stringify(writeManagers(readManagers(managedFields)) ?? [])).toBe(JSON.stringify(managedFields));
      }),
      { numRuns: 25 },
    );
  });

  test("applying the same again changes nothing, not even a time", () => {
    fc.assert(
      fc.property(history, body, ([start, requests], last) => {
        const first = play(kind, created(kind, start), [...requests, { verb: "apply", manager: "x", body: last }], now);
        const second = play(kind, first, [{ verb: "apply", manager: "x", body: last }], later);
        expect(withEntries(second, withoutNewTimes(second, first))).toEqual(first);
      }),
      { numRuns: 25 },
    );
  });

  test("an update that changes nothing owns nothing", () => {
    fc.assert(
      fc.property(history, ([start, requests]) => {
        const live = play(kind, created(kind, start), requests, now);
        const updated = structuredClone(live);
        const entries = trackUpdate({ kind, live, updated, manager: "nobody", subresource: "", now: later });
        expect(entries).toEqual(live.metadata.managedFields);
      }),
      { numRuns: 25 },
    );
  });

  test("nothing that is passed in is changed", () => {
    fc.assert(
      fc.property(history, ([start, requests]) => {
        const live = deepFreeze(created(kind, start));
        play(kind, live, deepFreeze(requests), later);
      }),
      { numRuns: 25 },
    );
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

describe("tracking", () => {
  const live = created(configMaps, { data: { x: "1" } });
  const owned = (manager: string, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { ".": {}, "f:x": {} } },
    ...more,
  });

  test("starts when an object is created", () => {
    expect(live.metadata.managedFields).toEqual([owned("creator")]);
  });

  test("is not begun by an update of what was never tracked", () => {
    const untracked = withEntries(live, undefined);
    const updated = whole(configMaps, { data: { x: "2" } });
    const request = { kind: configMaps, live: untracked, updated, manager: "a", subresource: "", now };
    expect(trackUpdate(request)).toBeUndefined();
  });

  test("calls who has no name unknown", () => {
    const updated = whole(configMaps, { data: { x: "1" } });
    const request = { kind: configMaps, live: undefined, updated, manager: "", subresource: "", now };
    expect(trackUpdate(request)).toEqual([owned("unknown")]);
  });

  test("keeps who owns fields in another version of the kind, and forgets who does in one that is gone", () => {
    const entries = [owned("old", { apiVersion: "v0" }), owned("gone", { apiVersion: "v9" })];
    const tracked = withEntries(live, entries);
    const updated = whole(configMaps, { data: { x: "1", y: "2" } });
    const request = { kind: configMaps, live: tracked, updated, manager: "a", subresource: "", now };
    const managers = trackUpdate({ ...request, apiVersions: ["v0", "v1"] })?.map(({ manager }) => manager);
    expect(managers).toEqual(["a", "old"]);
  });

  test("of a custom object that is not of the shape of its kind nobody owns anything", () => {
    const updated = whole(widgets, { spec: { size: 1 }, status: true });
    const request = { kind: widgets, live: undefined, manager: "a", subresource: "", now };
    expect(trackUpdate({ ...request, updated })).toBeUndefined();
    expect(trackUpdate({ ...request, updated: whole(widgets, { spec: { size: 1, tags: ["a", "a"] } }) })).toHaveLength(
      1,
    );
  });

  test("gives up where the items of a list cannot be told apart", () => {
    const updated = whole(widgets, { spec: { parts: [{ image: "a" }] } });
    const request = { kind: widgets, live: undefined, updated, manager: "a", subresource: "", now };
    expect(trackUpdate(request)).toBeUndefined();
  });
});
