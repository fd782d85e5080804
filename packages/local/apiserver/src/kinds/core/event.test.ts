import { describe, expect, test } from "vitest";
import { play } from "../testing/play.ts";
import { coreEvents, newEvents } from "./event.ts";

const about = { kind: "Pod", namespace: "default", name: "web", fieldPath: "spec.containers{a}" };
const manifest = {
  metadata: { name: "a" },
  regarding: about,
  note: " hello ",
  reason: "Tried",
  action: "Try",
  type: "Warning",
  eventTime: "2026-01-01T00:00:00.123456Z",
  reportingController: "example.com/c",
  reportingInstance: "c-1",
};
const { object = never() } = play(newEvents, manifest);
const { toStored, toServed } = newEvents.conversion ?? never();
const stored = toStored(object as never);

function never(): never {
  throw new Error("refused");
}

describe("an event", () => {
  test("is stored under the old names", () => {
    expect(stored).toMatchObject({
      apiVersion: "v1",
      involvedObject: about,
      message: " hello ",
      reportingComponent: "example.com/c",
      firstTimestamp: null,
      lastTimestamp: null,
      source: {},
    });
    expect(stored).not.toHaveProperty("regarding");
  });

  test("is served under the new names as it was sent", () => {
    expect(toServed(stored)).toEqual(object);
  });

  test("that was written under the old names has the new ones there", () => {
    const old = play(coreEvents, {
      metadata: { name: "b" },
      involvedObject: about,
      count: 3,
      source: { component: "x" },
    });
    expect(toServed(old.object as never)).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: about,
      deprecatedCount: 3,
      deprecatedSource: { component: "x" },
      eventTime: null,
    });
  });

  test("is shown and selected alike through both groups", () => {
    const now = Date.parse("2026-01-01T00:05:00Z");
    const cells = (kind: typeof newEvents, event: unknown) =>
      kind.columns.map(({ value }) => value(event as never, now));
    expect(cells(newEvents, object)).toEqual(cells(coreEvents, stored));
    expect(newEvents.selectableFields["regarding.name"]?.(object as never)).toBe("web");
    expect(coreEvents.selectableFields["involvedObject.name"]?.(stored as never)).toBe("web");
    expect(newEvents.selectableFields.reportingController?.(object as never)).toBe("example.com/c");
    expect(coreEvents.selectableFields.source?.(stored as never)).toBe("example.com/c");
    expect(newEvents.selectableFields.source).toBeUndefined();
  });
});
