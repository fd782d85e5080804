import type { ManagedFieldsEntry } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { AnyObject } from "../registry/resource.ts";
import { applyObject } from "./apply-object.ts";
import { configMaps, widgets } from "./testing/kinds.ts";
import type { JsonObject } from "./values.ts";

// What Kubernetes answers is in recorded.test.ts; here is what its answers do not show.

const request = { kind: configMaps, name: "a", live: undefined, manager: "one", force: false, subresource: "", now: 0 };

function configMap(data: JsonObject, managedFields?: ManagedFieldsEntry[]): AnyObject {
  const metadata = { name: "a", uid: "u", ...(managedFields && { managedFields }) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

function applied(more: Partial<ManagedFieldsEntry>): ManagedFieldsEntry {
  const fieldsV1 = { "f:data": { "f:x": {}, "f:y": {} } };
  return { manager: "one", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1, ...more };
}

describe("who applies", () => {
  test("is the same in every version of the kind", () => {
    const live = configMap({ x: "1", y: "1" }, [applied({ apiVersion: "v0" })]);
    const { object } = applyObject({ ...request, live, applied: configMap({ x: "2" }) });
    expect(object.data).toEqual({ x: "2" });
    expect(object.metadata.managedFields).toEqual([
      applied({ time: "1970-01-01T00:00:00Z", fieldsV1: { "f:data": { "f:x": {} } } }),
    ]);
  });

  test("takes nothing away that was applied in a version that is gone", () => {
    const live = configMap({ x: "1", y: "1" }, [applied({ apiVersion: "v0" })]);
    const { object } = applyObject({ ...request, live, applied: configMap({ x: "2" }), apiVersions: ["v1"] });
    expect(object.data).toEqual({ x: "2", y: "1" });
  });
});

describe("what is applied", () => {
  const problem = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };

  test("may have any field where the schema lets them in, but not in its metadata", () => {
    const kind = { ...widgets, schema: { "x-kubernetes-preserve-unknown-fields": true, properties: { spec: {} } } };
    const type = { apiVersion: "apply.berg.test/v1", kind: "Widget" };
    const inObject = { ...type, metadata: { name: "a" }, extra: 1, spec: { extra: 2 } };
    expect(problem(() => applyObject({ ...request, kind, applied: inObject }))).toBeUndefined();
    const inMetadata = { ...type, metadata: { name: "a", extra: 1 } };
    expect(problem(() => applyObject({ ...request, kind, applied: inMetadata }))).toBe(
      "failed to create typed patch object (/a; apply.berg.test/v1, Kind=Widget): .metadata.extra: field not declared in schema",
    );
  });

  test("is told of one unknown field of an object, as Kubernetes does", () => {
    const unknown = { ...configMap({}), one: 1, two: 2 };
    expect(problem(() => applyObject({ ...request, applied: unknown }))).toContain("ConfigMap): .one: field not");
  });

  test("may have keys that mean something to JavaScript", () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}');
    const { object } = applyObject({ ...request, live: configMap({ toString: "3" }), applied: configMap(data) });
    expect(JSON.stringify(object.data)).toBe('{"toString":"3","__proto__":"1","constructor":"2"}');
  });

  test("leaves what is there alone where what is there cannot be read", () => {
    const broken = configMap({}, [applied({ fieldsType: "FieldsV2" })]);
    expect(problem(() => applyObject({ ...request, live: broken, applied: configMap({}) }))).toBe(
      'failed to decode managed fields: invalid fieldsType "FieldsV2" in managed fields entry 0',
    );
    const parts = {
      apiVersion: "apply.berg.test/v1",
      kind: "Widget",
      metadata: { name: "a", uid: "u" },
      spec: { parts: [{ image: "a" }] },
    };
    const change = { ...parts, spec: { parts: [{ name: "a" }] } };
    expect(problem(() => applyObject({ ...request, kind: widgets, live: parts as never, applied: change }))).toContain(
      'failed to create typed live object (/a; apply.berg.test/v1, Kind=Widget): associative list with keys has an element that omits all key fields ["name"]',
    );
  });
});
