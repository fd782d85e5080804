/** Values for schemas, as a table: what a real API server and ours must judge alike. Each stands at `spec.<name>`. */
import type { Schema } from "../schema.ts";

export interface ValueCase {
  schema: Schema;
  values: readonly unknown[];
}

const text: Schema = { type: "string" };
const named = (more: Schema = {}): Schema => ({
  type: "object",
  properties: { name: text, port: { type: "integer" } },
  ...more,
});

function format(name: string, ...values: unknown[]): ValueCase {
  return { schema: { type: "string", format: name }, values };
}

export const valueCases: Readonly<Record<string, ValueCase>> = {
  text: { schema: text, values: ["", "a", 1, 1.5, true, null, [], {}, ["a"]] },
  nullable: { schema: { type: "string", nullable: true }, values: [null, "a", 1] },
  nullableEnum: { schema: { type: "string", nullable: true, enum: ["a", "b"] }, values: [null, "a", "c"] },
  whole: { schema: { type: "integer" }, values: [1, -1, 1.5, "1", true, 1e18, 1e30, null, {}] },
  int32: {
    schema: { type: "integer", format: "int32" },
    values: [2147483647, 2147483648, -2147483649, 1.5, "x", true],
  },
  int64: { schema: { type: "integer", format: "int64" }, values: [4294967296, 1e19, 0.1] },
  number: { schema: { type: "number" }, values: [1, 1.5, 1e30, "1", false, []] },
  float: { schema: { type: "number", format: "float" }, values: [1.5, 1e300, 3, "x"] },
  double: { schema: { type: "number", format: "double" }, values: [1.5, 1e300, 3, "x", true] },
  bool: { schema: { type: "boolean" }, values: [true, "true", 1, null, [], {}] },
  oddFormatBool: { schema: { type: "boolean", format: "date" }, values: [true, "x"] },
  enum: { schema: { type: "string", enum: ["a", "b c", 'd"e'] }, values: ["a", "z", 1, ""] },
  numberEnum: { schema: { type: "integer", enum: [1, 2] }, values: [1, 3, "1"] },
  objectEnum: {
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true, enum: [{ b: 1, a: [2] }] },
    values: [{ a: [2], b: 1 }, { a: [3] }],
  },
  short: { schema: { type: "string", maxLength: 1 }, values: ["a", "ab", "é", "😀", "😀a"] },
  long: {
    schema: { type: "string", minLength: 3, maxLength: 5 },
    values: ["", "ab", "abc", "abcdef", "😀😀", "😀😀😀"],
  },
  minLength0: { schema: { type: "string", minLength: 0 }, values: ["", "a"] },
  pattern: {
    schema: { type: "string", pattern: "^[a-z]+$" },
    values: ["abc", "ABC", "abc\n", "é", 'q"\\\t\u0001\u00a0'],
  },
  patternRe2: { schema: { type: "string", pattern: "(?i)^a\\z|\\pL{3}" }, values: ["A", "a\n", "äöü", "1"] },
  patternAndLength: { schema: { type: "string", pattern: "^x", maxLength: 2, minLength: 1 }, values: ["abc", "a", ""] },
  minimum: { schema: { type: "integer", minimum: 1, maximum: 10 }, values: [1, 0, 10, 11, -5] },
  exclusive: {
    schema: { type: "integer", minimum: 1, exclusiveMinimum: true, maximum: 10, exclusiveMaximum: true },
    values: [1, 2, 9, 10],
  },
  fractionBounds: { schema: { type: "integer", minimum: 0.5, maximum: 2.5 }, values: [0, 1, 3] },
  smallBounds: { schema: { type: "number", minimum: 0.00001, maximum: 1e21 }, values: [0.000001, 1e22, 1] },
  int32Bounds: { schema: { type: "integer", format: "int32", maximum: 3000000000 }, values: [1, 4000000000] },
  multipleOf: { schema: { type: "integer", multipleOf: 3 }, values: [0, 3, 4, -3] },
  multipleOfFraction: { schema: { type: "number", multipleOf: 0.1 }, values: [0.3, 0.25, 1, 7] },
  multipleOfHalf: { schema: { type: "integer", multipleOf: 2.5 }, values: [5, 4] },
  intOrString: { schema: { "x-kubernetes-int-or-string": true }, values: [1, "a", 1.5, true, null, {}, []] },
  intOrStringAnyOf: {
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^a$" },
    values: [1, "a", "b", 1.5, true],
  },
  intOrStringAllOf: {
    schema: {
      "x-kubernetes-int-or-string": true,
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { anyOf: [{ maximum: 5 }, { minimum: 10 }] }],
    },
    values: [1, 7, "a", true],
  },
  list: { schema: { type: "array", items: text }, values: [[], ["a"], ["a", 1, null], {}, "a", null] },
  fewItems: { schema: { type: "array", items: text, maxItems: 1 }, values: [["a"], ["a", "b"]] },
  someItems: {
    schema: { type: "array", items: text, minItems: 2, maxItems: 3 },
    values: [[], ["a", "b"], ["a", "b", "c", "d"]],
  },
  map: {
    schema: { type: "object", additionalProperties: { type: "integer" } },
    values: [{}, { a: 1 }, { a: "x", "b.c/d": "y" }, [], { a: null }],
  },
  properties: {
    schema: { type: "object", additionalProperties: text, minProperties: 1, maxProperties: 2 },
    values: [{}, { a: "1" }, { a: "1", b: "2", c: "3" }],
  },
  oneProperty: {
    schema: { type: "object", additionalProperties: text, maxProperties: 1 },
    values: [{ a: "1", b: "2" }],
  },
  noProperties: { schema: { type: "object", additionalProperties: false }, values: [{}, { a: 1, b: { c: 1 } }] },
  anyProperties: {
    schema: { type: "object", additionalProperties: true },
    values: [{ a: 1, b: { c: 1 }, d: [{ e: 1 }] }],
  },
  required: {
    schema: named({ required: ["name", "port"] }),
    values: [{}, { name: "a" }, { name: "a", port: 1 }, { name: null, port: 1 }],
  },
  deepRequired: { schema: { type: "array", items: named({ required: ["name"] }) }, values: [[{}, { name: "a" }], [1]] },
  unknown: { schema: named(), values: [{ name: "a", other: 1 }, { constructor: 1, __proto__x: 1 }, { toString: "x" }] },
  preserved: {
    schema: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: named(), list: { type: "array", items: named() } },
    },
    values: [{ any: { thing: [1] }, known: { name: "a", x: 1 }, list: [{ x: 1 }] }],
  },
  preservedList: {
    schema: {
      type: "array",
      items: { type: "object", properties: { known: named() } },
      "x-kubernetes-preserve-unknown-fields": true,
    },
    values: [[{ x: 1, known: { x: 1 } }]],
  },
  untyped: {
    schema: { "x-kubernetes-preserve-unknown-fields": true },
    values: [1, "a", [1], { a: { b: null } }, null],
  },
  anyOf: { schema: { type: "integer", anyOf: [{ minimum: 10 }, { maximum: 0 }] }, values: [10, 0, 5, "x"] },
  anyOfRequired: {
    schema: named({ anyOf: [{ required: ["name"] }, { required: ["port"] }] }),
    values: [{}, { name: "a" }, { name: "a", port: 1 }],
  },
  anyOfDeep: {
    schema: named({
      anyOf: [
        { properties: { name: { enum: ["a"] }, port: { minimum: 5 } } },
        { properties: { name: { pattern: "^b$" } }, required: ["port"] },
      ],
    }),
    values: [{ name: "a", port: 1 }, { name: "b" }, { name: "c" }, { name: "a", port: 7 }, {}],
  },
  oneOf: { schema: { type: "integer", oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, values: [2, 3, 6, 5, 0] },
  oneOfRequired: {
    schema: named({ oneOf: [{ required: ["name"] }, { required: ["port"] }] }),
    values: [{}, { name: "a" }, { name: "a", port: 1 }],
  },
  allOf: { schema: { type: "string", allOf: [{ minLength: 2 }, { pattern: "^a" }] }, values: ["ab", "a", "b", "bb"] },
  not: { schema: { type: "string", not: { enum: ["a"] } }, values: ["a", "b"] },
  notRequired: {
    schema: named({ not: { required: ["name", "port"] } }),
    values: [{ name: "a" }, { name: "a", port: 1 }],
  },
  nestedCombinations: {
    schema: {
      type: "string",
      allOf: [{ anyOf: [{ maxLength: 2 }, { pattern: "^long" }] }, { not: { pattern: "z$" } }],
    },
    values: ["ab", "longer", "other", "z", "otherz"],
  },
  set: {
    schema: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    values: [
      ["a", "b"],
      ["a", "a"],
      ["a", "a", "a", "b", "b"],
    ],
  },
  atomicObjectSet: {
    schema: {
      type: "array",
      items: { ...named(), "x-kubernetes-map-type": "atomic" },
      "x-kubernetes-list-type": "set",
    },
    values: [
      [
        { name: "a", port: 1 },
        { port: 1, name: "a" },
      ],
      [{ name: "a" }, { name: "b" }],
    ],
  },
  listMap: {
    schema: {
      type: "array",
      items: named({ required: ["name"] }),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    values: [
      [{ name: "a" }, { name: "b" }],
      [{ name: "a" }, { name: "a", port: 1 }, { name: "a" }],
      [{}, {}],
      [1, { name: "a" }],
    ],
  },
  listMapTwoKeys: {
    schema: {
      type: "array",
      items: {
        type: "object",
        properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
        required: ["port"],
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
    },
    values: [
      [{ port: 1 }, { port: 1, protocol: "UDP" }],
      [{ port: 1 }, { port: 1, protocol: "TCP" }],
    ],
  },
  mapOfSets: {
    schema: { type: "object", additionalProperties: { type: "array", items: text, "x-kubernetes-list-type": "set" } },
    values: [{ "a.b": ["x", "x"] }],
  },
  embedded: {
    schema: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    values: [
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { a: "-" } }, spec: { x: 1 } },
      {},
      { apiVersion: "", kind: "" },
      { apiVersion: "a/b/c", kind: "Not A Kind", metadata: { name: "a/b", generateName: "x", namespace: "A" } },
      { apiVersion: "v1", kind: "Pod", metadata: { finalizers: ["a b"], annotations: { "a b": "" } } },
      { apiVersion: "v1", kind: "Pod", metadata: { creationTimestamp: null, labels: {}, unknown: 1 } },
      { apiVersion: "v1", kind: 3 },
      { apiVersion: "v1", kind: "Pod", metadata: { name: 3, labels: { z: "", a: "" } } },
      { apiVersion: "v1", kind: "Pod", metadata: [] },
    ],
  },
  embeddedKnown: {
    schema: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: named(), metadata: { type: "object" } },
    },
    values: [
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { a: "b" } }, spec: { name: "x", y: 1 }, z: 1 },
    ],
  },
  defaults: {
    schema: {
      type: "object",
      properties: {
        a: { type: "string", default: "A" },
        b: { type: "object", default: {}, properties: { c: { type: "integer", default: 3 } } },
        d: { type: "object", properties: { e: { type: "string", default: "E" } } },
        f: { type: "string", nullable: true, default: "F" },
        g: { type: "array", items: { type: "object", properties: { h: { type: "boolean", default: false } } } },
        i: {
          type: "object",
          additionalProperties: { type: "object", properties: { j: { type: "string", default: "J" } } },
        },
      },
    },
    values: [
      {},
      { a: "x", b: { c: 4 }, d: {}, g: [{}, { h: true }], i: { x: {}, y: { j: "" } } },
      { a: null, b: null, d: null, f: null, g: null },
      { g: [null], i: { x: null } },
    ],
  },
  itemDefaults: {
    schema: { type: "array", items: { type: "string", default: "x" } },
    values: [[null, "a"], []],
  },
  date: format("date", "2020-02-29", "2021-02-29", "2020-1-1", "", 1, true, [], {}),
  dateTime: format(
    "date-time",
    "2020-01-01T00:00:00Z",
    "2020-01-01t00:00:00.123+01:00",
    "2020-01-01 00:00:00Z",
    "2020-01-01T24:00:00Z",
    "2020-01-01T00:00:60Z",
    "2020-13-01T00:00:00Z",
    "x",
  ),
  datetime: format("datetime", "2020-01-01T00:00:00Z", "x"),
  duration: format(
    "duration",
    "1h30m",
    "1.5s",
    "-3ms",
    "0",
    "3 days",
    "2 weeks ago",
    "1 fortnight",
    "x",
    "",
    "1",
    "1hour",
    "µs",
  ),
  byte: format("byte", "aGVsbG8=", "aGVsbG8", "", "????", "YQ=="),
  ipv4: format("ipv4", "1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::1", "::ffff:1.2.3.4", "1.2.3.4/8"),
  ipv6: format("ipv6", "::1", "fe80::1%eth0", "1.2.3.4", "::ffff:1.2.3.4", "1::2::3", "g::"),
  cidr: format("cidr", "10.0.0.0/8", "10.0.0.0/33", "10.0.0.0", "::/0", "::/129", "10.0.0.1/08", "a/b"),
  mac: format(
    "mac",
    "01:23:45:67:89:ab",
    "01-23-45-67-89-ab",
    "0123.4567.89ab",
    "01:23:45",
    "0123456789ab",
    "01:23-45:67:89:ab",
  ),
  uri: format(
    "uri",
    "http://example.com/a?b#c",
    "/path",
    "path",
    "mailto:a@b.c",
    "http://a b/",
    "http://[::1]:80/",
    "http://[::1/",
    "http://a/%zz",
    "",
    "://x",
    "http://a:port/",
    "*",
  ),
  email: format("email", "a@b.c", "A <a@b.c>", "a", "a@", "@b", '"a b"@c.d', "a b@c.d", "a@b@c", "<a@b.c>", "a.@b"),
  hostname: format(
    "hostname",
    "example.com",
    "a",
    "-a",
    "a_b",
    "a..b",
    "1.2.3.4",
    "ex-ample.co",
    `${"a".repeat(64)}.com`,
    "",
  ),
  uuid: format("uuid", "123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "x", ""),
  uuid3: format("uuid3", "123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
  uuid4: format("uuid4", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"),
  uuid5: format("uuid5", "123e4567-e89b-52d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"),
  isbn: format("isbn", "0321751043", "978-0321751041", "0321751044", "x"),
  isbn10: format("isbn10", "0321751043", "978-0321751041", "080442957X"),
  isbn13: format("isbn13", "978-0321751041", "978-0321751042", "0321751043"),
  creditcard: format("creditcard", "4012-8888-8888-1881", "4012-8888-8888-1882", "1"),
  ssn: format("ssn", "111-11-1111", "111111111", "111-11-111x"),
  hexcolor: format("hexcolor", "#fff", "FFFFFF", "#ffff", "red"),
  rgbcolor: format("rgbcolor", "rgb(0, 12,255)", "rgb(0,0,256)", "rgb(1,2)"),
  password: format("password", "anything", ""),
  bsonobjectid: format("bsonobjectid", "507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "x"),
  shortName: format("k8s-short-name", "a-b", "a.b", "A", ""),
  longName: format("k8s-long-name", "a.b", "a..b", "A"),
  unknownFormat: format("no-such-format", "anything", 1),
  untypedFormat: { schema: { "x-kubernetes-int-or-string": true, format: "ipv4" }, values: ["1.2.3.4", "x", 1, true] },
};
