import type { CoreEvent } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { at } from "../testing/objects.ts";
import { pullsGoOn } from "./pulling.ts";

const event = (reason: string, seconds: number, container = "web") =>
  ({
    metadata: { name: `${reason}-${seconds}` },
    involvedObject: { fieldPath: `spec.containers{${container}}` },
    reason,
    lastTimestamp: at(seconds),
  }) as CoreEvent;

/** As others write them, who use the newer kind of event. */
const unset = (one: CoreEvent) =>
  ({ ...one, lastTimestamp: null, metadata: { ...one.metadata, creationTimestamp: null } }) as unknown as CoreEvent;

describe("an image is being pulled", () => {
  test.each([
    { what: "nobody said so", events: [], want: false },
    { what: "it began", events: [event("Scheduled", 1), event("Pulling", 5)], want: true },
    { what: "it is done", events: [event("Pulling", 5), event("Pulled", 9)], want: false },
    { what: "it was done in the same second", events: [event("Pulled", 5), event("Pulling", 5)], want: false },
    { what: "it failed", events: [event("Pulling", 5), event("Failed", 6), event("BackOff", 7)], want: false },
    { what: "it is tried again", events: [event("Failed", 6), event("BackOff", 7), event("Pulling", 9)], want: true },
    { what: "another one is", events: [event("Pulling", 5), event("Pulled", 6), event("Pulling", 6, "b")], want: true },
    { what: "it began, without a time", events: [unset(event("Pulling", 5))], want: true },
    { what: "it was there", events: [event("Pulled", 5), event("Created", 6)], want: false },
  ])("$what: $want", ({ events, want }) => {
    expect(pullsGoOn(events)).toBe(want);
    expect(pullsGoOn(events.toReversed())).toBe(want);
  });
});
