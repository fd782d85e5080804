import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseZones } from "./choose-zones.ts";

const offered = ["eu-central-1a", "eu-central-1b", "eu-central-1c"];
const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"), { minLength: 1 });

describe("zones", () => {
  test("are the same at each try, whatever the order of the CloudProfile", () => {
    fc.assert(
      fc.property(fc.uuid(), names, fc.nat(8), (uid, zones, count) => {
        const chosen = chooseZones(uid, zones, count, []);
        expect(chooseZones(uid, [...zones].reverse(), count, [])).toEqual(chosen);
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen).toHaveLength(Math.min(count, zones.length));
      }),
    );
  });

  test("only grow, and those that are there stay where they are", () => {
    fc.assert(
      fc.property(fc.uuid(), names, fc.nat(6), fc.nat(6), (uid, zones, few, more) => {
        const first = chooseZones(uid, zones, few, []);
        expect(chooseZones(uid, zones, more, first).slice(0, first.length)).toEqual(first);
      }),
    );
  });

  test("are spread: clusters of one zone are in all of them", () => {
    const uids = Array.from({ length: 60 }, (_, at) => `uid-${at}`);
    const counts = offered.map((zone) => uids.filter((uid) => chooseZones(uid, offered, 1, [])[0] === zone).length);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });
});
