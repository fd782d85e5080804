import { describe, expect, test } from "vitest";
import type { CoreEvent } from "../kinds.ts";
import { type Correlated, EventCorrelator } from "./correlator.ts";
import { makeEvent } from "./event.ts";

const minute = 60_000;
let nanos = 1n;

function event(
  changes: {
    message?: string;
    object?: string;
    reason?: string;
    type?: "Normal" | "Warning";
    component?: string;
    fieldPath?: string;
  } = {},
): CoreEvent {
  const {
    message = "it runs",
    object = "web",
    reason = "Started",
    type = "Normal",
    component = "controller",
  } = changes;
  return makeEvent({
    object: {
      apiVersion: "berg/v1",
      kind: "Challenge",
      metadata: { name: object, namespace: "ctf", uid: `uid-${object}` },
    },
    type,
    reason,
    message,
    source: { component, instance: "pod-1" },
    fieldPath: changes.fieldPath,
    time: "2026-01-01T00:00:00Z",
    nanos: nanos++,
  });
}

const text = (result: Correlated) =>
  result.do === "skip" ? "skip" : `${result.do} ${result.event.count} ${result.event.message}`;

describe("the same event again", () => {
  test("counts up the first, by its name and from its time", () => {
    const correlator = new EventCorrelator();
    const first = event();
    expect(correlator.correlate(first, 0)).toMatchObject({ do: "create", event: first });
    const again = { ...event(), firstTimestamp: "2026-01-01T00:01:00Z", lastTimestamp: "2026-01-01T00:01:00Z" };
    expect(correlator.correlate(again, minute)).toMatchObject({
      do: "count",
      existing: first.metadata.name,
      event: { count: 2, firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-01T00:01:00Z" },
    });
    expect(text(correlator.correlate(event(), minute))).toBe("count 3 it runs");
  });

  test("counts what stands on the server, under the name it has there", () => {
    const correlator = new EventCorrelator();
    const result = correlator.correlate(event(), 0);
    if (result.do !== "create") throw new Error("not created");
    correlator.written(result.key, { ...result.event, count: 7, metadata: { name: "renamed" } });
    expect(correlator.correlate(event(), 0)).toMatchObject({ do: "count", existing: "renamed", event: { count: 8 } });
  });

  const others = [
    { name: "message", changes: { message: "it fails" } },
    { name: "reason", changes: { reason: "Failed" } },
    { name: "type", changes: { type: "Warning" as const } },
    { name: "object", changes: { object: "pwn" } },
    { name: "source", changes: { component: "janitor" } },
  ];
  for (const { name, changes } of others) {
    test(`is another one with another ${name}`, () => {
      const correlator = new EventCorrelator();
      correlator.correlate(event(), 0);
      expect(correlator.correlate(event(changes), 0).do).toBe("create");
    });
  }
});

test("the same event about another part of the object is another one", () => {
  const correlator = new EventCorrelator();
  const parts = ["spec.containers{a}", "spec.containers{b}", "spec.containers{a}"];
  const results = parts.map((fieldPath) => correlator.correlate(event({ fieldPath }), 0));
  expect(results.map(text)).toEqual(["create 1 it runs", "create 1 it runs", "count 2 it runs"]);
});

describe("many similar events", () => {
  test("share one from the tenth message on", () => {
    const correlator = new EventCorrelator();
    const results = Array.from({ length: 13 }, (_, i) => text(correlator.correlate(event({ message: `try ${i}` }), i)));
    expect(results.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, i) => `create 1 try ${i}`));
    expect(results.slice(9)).toEqual([
      "create 1 (combined from similar events): try 9",
      "count 2 (combined from similar events): try 10",
      "count 3 (combined from similar events): try 11",
      "count 4 (combined from similar events): try 12",
    ]);
  });

  test("leave the messages that came before to count for themselves", () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 12; i++) correlator.correlate(event({ message: `try ${i}` }), i);
    expect(text(correlator.correlate(event({ message: "try 0" }), 20))).toBe("count 2 try 0");
  });

  test("are told apart again after ten quiet minutes", () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 12; i++) correlator.correlate(event({ message: `try ${i}` }), 0);
    expect(text(correlator.correlate(event({ message: "a" }), 10 * minute))).toContain("combined");
    expect(text(correlator.correlate(event({ message: "b" }), 20 * minute + 1))).toBe("create 1 b");
  });

  test("stay within the length of a message", () => {
    const correlator = new EventCorrelator();
    let last: Correlated = { do: "skip" };
    for (let i = 0; i < 10; i++) last = correlator.correlate(event({ message: `${i}${"a".repeat(1023)}` }), i);
    expect(last.do !== "skip" && last.event.message).toHaveLength(1024);
  });
});

describe("a flood about one object", () => {
  test("is cut to 25, then one in five minutes, and still counted", () => {
    const correlator = new EventCorrelator();
    const passed = (now: number) => correlator.correlate(event(), now).do !== "skip";
    expect(Array.from({ length: 40 }, () => passed(0)).filter(Boolean)).toHaveLength(25);
    expect(passed(5 * minute - 1)).toBe(false);
    expect(text(correlator.correlate(event(), 5 * minute))).toBe("count 42 it runs");
    expect(passed(5 * minute)).toBe(false);
    expect(Array.from({ length: 40 }, () => passed(1000 * minute)).filter(Boolean)).toHaveLength(25);
  });

  test("does not silence other objects, sources or types", () => {
    const correlator = new EventCorrelator();
    for (let i = 0; i < 30; i++) correlator.correlate(event(), 0);
    expect(correlator.correlate(event(), 0).do).toBe("skip");
    expect(correlator.correlate(event({ object: "pwn" }), 0).do).toBe("create");
    expect(correlator.correlate(event({ component: "janitor" }), 0).do).toBe("create");
    expect(correlator.correlate(event({ type: "Warning" }), 0).do).toBe("create");
  });
});

test("memory is bounded: the event that was not seen for longest is forgotten", () => {
  const correlator = new EventCorrelator();
  correlator.correlate(event({ object: "first" }), 0);
  for (let i = 0; i < 4096; i++) correlator.correlate(event({ object: `o${i}` }), 0);
  expect(correlator.correlate(event({ object: "first" }), 0).do).toBe("create");
  expect(correlator.correlate(event({ object: "o4095" }), 0).do).toBe("count");
});
