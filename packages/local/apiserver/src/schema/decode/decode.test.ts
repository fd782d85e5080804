// What stands in the snapshots is what a real API server answers: decode.real.test.ts shows it.
import { StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schema } from "../schema.ts";
import { type BodyCase, bodyCases } from "../testing/bodies.ts";
import { read } from "../testing/read.ts";
import { builtInShapes, readingShape } from "../testing/shapes.ts";
import { decodeCustom } from "./decode-custom.ts";
import { decodeBuiltIn } from "./decode-object.ts";
import { readQuantity } from "./scalars.ts";

describe("bodies", () => {
  test.each(Object.entries(bodyCases))("%s", (_, given: BodyCase) => {
    expect(read(given)).toMatchSnapshot();
  });
});

describe("deep objects", () => {
  const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const refusalOf = (decode: () => unknown) => {
    try {
      decode();
    } catch (error) {
      return error instanceof StatusError ? error.status.message : String(error);
    }
    return undefined;
  };
  const custom = (levels: number) => () => {
    const object = { apiVersion: "x/v1", kind: "Reading", metadata: {}, spec: { p: { deep: nested(levels) } } };
    return decodeCustom(object, readingShape, "Reading");
  };

  test("are refused where they would be kept", () => {
    const kept: Schema = { type: "object", properties: { data: { "x-kubernetes-preserve-unknown-fields": true } } };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: nested(9_990) };
    expect(refusalOf(() => decodeBuiltIn(object, kept, "ConfigMap"))).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: exceeded max depth of 1000',
    );
    expect(refusalOf(custom(9_990))).toMatch(/exceeded max depth of 1000$/);
    expect(refusalOf(custom(997))).toBeUndefined();
    expect(refusalOf(custom(998))).toMatch(/exceeded max depth of 1000$/);
  });

  test("are dropped where they are unknown", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, x: nested(9_990) };
    expect(decodeBuiltIn(object, builtInShapes.ConfigMap ?? {}, "ConfigMap")).toEqual(["x"]);
  });
});

describe("built-in objects", () => {
  const pod = (spec: unknown) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec });
  const shape = builtInShapes.Pod ?? {};

  test("nulls are what Go has in their place", () => {
    const object = pod({
      hostname: null,
      containers: [null, { name: "a", args: [null, "x"] }],
      nodeSelector: { a: null },
    });
    expect(decodeBuiltIn(object, shape, "Pod")).toEqual([]);
    expect(object.spec).toEqual({ containers: [{}, { name: "a", args: ["", "x"] }], nodeSelector: { a: "" } });
  });

  test("empty lists and maps that may be left out are left out", () => {
    const object = pod({ containers: [], nodeSelector: {} });
    decodeBuiltIn(object, shape, "Pod");
    expect(object.spec).toEqual({});
    const needed = { ...shape, properties: { spec: { ...shape.properties?.spec, required: ["containers"] } } };
    const other = pod({ containers: [], nodeSelector: {} });
    decodeBuiltIn(other, needed, "Pod");
    expect(other.spec).toEqual({ containers: [] });
  });

  test("unknown fields are told in the order in which they stand there", () => {
    const object = pod({ zoo: 1, containers: [{ b: 1 }, { a: 1 }], ape: 2, constructor: 3 });
    expect(decodeBuiltIn(object, shape, "Pod")).toEqual([
      "spec.zoo",
      "spec.containers[0].b",
      "spec.containers[1].a",
      "spec.ape",
      "spec.constructor",
    ]);
    expect(object.spec).toEqual({ containers: [{}, {}] });
  });

  test("quantities have one form", () => {
    expect(["0.5", 2, "1024Mi", "1e3", " 100m "].map(readQuantity)).toEqual(["500m", "2", "1Gi", "1e3", "100m"]);
    const withoutDigits = [".", "+", "Gi", "Ti", "E", "m", "-.Ki", "e3", ".e+3", "E3"];
    expect(withoutDigits.map(readQuantity)).toEqual(withoutDigits.map(() => "0"));
  });

  test.each([
    ["", /^quantities must match/],
    ["..", /^quantities must match/],
    [".5.", /^quantities must match/],
    ["Ki.", /^quantities must match/],
    ["one", /^quantities must match/],
    ["e", /^unable to parse quantity's suffix$/],
    ["e-", /^unable to parse quantity's suffix$/],
    ["1e3k", /^quantities must match/],
    ["1KiKi", /^unable to parse quantity's suffix$/],
    ["Pi", /^unable to parse numeric part of quantity$/],
    ["Ei", /^unable to parse numeric part of quantity$/],
  ])("the quantity %j is refused", (text, why) => {
    expect(() => readQuantity(text)).toThrow(why);
  });

  test("whatever is sent is read or refused, and read again as it is", () => {
    fc.assert(
      fc.property(
        fc.object({
          key: fc.constantFrom("containers", "name", "hostname", "args", "ports", "x"),
          values: [fc.jsonValue()],
        }),
        (spec) => {
          const object = pod(JSON.parse(JSON.stringify(spec)));
          try {
            decodeBuiltIn(object, shape, "Pod");
          } catch (error) {
            expect(error).toBeInstanceOf(StatusError);
            return;
          }
          const before = structuredClone(object);
          expect(decodeBuiltIn(object, shape, "Pod")).toEqual([]);
          expect(object).toEqual(before);
        },
      ),
    );
  });
});
