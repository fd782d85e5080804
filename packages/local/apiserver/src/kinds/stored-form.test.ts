import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  always,
  anything,
  bool,
  int32,
  intOrString,
  kept,
  list,
  mapOf,
  microTime,
  object,
  quantity,
  text,
  time,
} from "./shapes.ts";
import { toStoredForm } from "./stored-form.ts";

const shape = object({
  text: text(),
  keptText: kept(text()),
  number: int32(),
  keptNumber: kept(int32()),
  flag: bool(),
  keptFlag: kept(bool()),
  list: list(text()),
  map: mapOf(quantity()),
  part: object({ name: text() }),
  time: time(),
  micro: microTime(),
  port: intOrString(),
  choice: text({ default: "usual" }),
  free: anything(),
});
const full = object({
  text: always(text()),
  number: always(int32()),
  flag: always(bool()),
  list: always(list(text())),
  part: always(object({ inner: always(object({})) })),
  time: always(time()),
  amount: always(quantity()),
  port: always(intOrString()),
});

function stored(draft: Record<string, unknown>, schema = shape) {
  const copy = structuredClone(draft);
  toStoredForm(copy, schema);
  return copy;
}

describe("the stored form", () => {
  test("leaves out what says no more than nothing", () => {
    const empty = {
      text: "",
      number: 0,
      flag: false,
      list: [],
      map: {},
      time: null,
      part: null,
      keptText: null,
      choice: "usual",
    };
    expect(stored(empty)).toEqual({ choice: "usual" });
  });

  test("keeps what is somebody's choice", () => {
    const chosen = { keptText: "", keptNumber: 0, keptFlag: false, part: {}, port: 0, free: {} };
    expect(stored(chosen)).toEqual({ ...chosen, choice: "usual" });
  });

  test("has what is always there", () => {
    const empty = {
      text: "",
      number: 0,
      flag: false,
      list: null,
      part: { inner: {} },
      time: null,
      amount: "0",
      port: 0,
    };
    expect(stored({}, full)).toEqual(empty);
    expect(stored({ list: [] }, full)).toEqual(empty);
    expect(stored({ list: ["a"], text: "b" }, full)).toEqual({ ...empty, list: ["a"], text: "b" });
  });

  test("has the default for what is empty", () => {
    expect(stored({ choice: "" })).toEqual({ choice: "usual" });
    expect(stored({ choice: "other" })).toEqual({ choice: "other" });
  });

  test.each([
    { map: { a: 1, b: "0.5", c: "1024Mi" }, want: { a: "1", b: "500m", c: "1Gi" } },
    { map: { a: "0.0001", b: "-1n", c: "1000.0001u", d: "1e-4" }, want: { a: "1m", b: "-1m", c: "2m", d: "1e-3" } },
    { map: { a: null, b: "no amount" }, want: { a: "0", b: "no amount" } },
  ])("has amounts in one form: $map", ({ map, want }) => {
    expect(stored({ map }).map).toEqual(want);
  });

  test.each([
    ["2026-01-01T02:00:00.987654+02:00", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.987654Z"],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"],
    ["tomorrow", "tomorrow", "tomorrow"],
  ])("has times in UTC, in seconds or microseconds: %s", (sent, seconds, micros) => {
    expect(stored({ time: sent, micro: sent })).toMatchObject({ time: seconds, micro: micros });
  });

  test("has empty values for null in lists and maps, as Go has", () => {
    const names = object({ list: list(text()), map: mapOf(text()) });
    expect(stored({ list: ["a", null], map: { b: null } }, names)).toEqual({ list: ["a", ""], map: { b: "" } });
  });

  test("is a form: twice is once", () => {
    const any = fc.record(
      {
        text: fc.constantFrom("", "a"),
        keptText: fc.constantFrom("", "a", null),
        number: fc.constantFrom(0, 1),
        list: fc.array(fc.constantFrom("", "a", null)),
        map: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1.5", 2, "x", null)),
        time: fc.constantFrom(null, "2026-01-01T00:00:00.5Z", "x"),
        micro: fc.constantFrom(null, "2026-01-01T00:00:00.5Z", "x"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(any, (draft) => {
        expect(stored(stored(draft))).toEqual(stored(draft));
      }),
    );
  });
});
