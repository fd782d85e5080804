import { expect, test } from "vitest";
import { at, makeInstance, start } from "../removing/testing/objects.ts";
import { dueOf } from "./due.ts";

const cases = {
  "one without an expiry never falls due": { instance: makeInstance("a"), want: undefined },
  "one that the controller has not seen neither": {
    instance: { ...makeInstance("a"), status: undefined as never },
    want: undefined,
  },
  "one falls due when its time and the grace are over": {
    instance: makeInstance("a", { expires: 10 }),
    want: { at: start + 12_000, why: `its time was up at ${at(10)}` },
  },
  "one that is being deleted falls due, whether or not it would expire": {
    instance: makeInstance("a", { deleted: 5 }),
    want: { at: start + 7_000, why: `it was deleted at ${at(5)}` },
  },
  "of both, what came first counts": {
    instance: makeInstance("a", { deleted: 15, expires: 10 }),
    want: { at: start + 12_000, why: `its time was up at ${at(10)}` },
  },
  "a time that cannot be read is none": {
    instance: { ...makeInstance("a"), status: { expiresAt: "soon" } },
    want: undefined,
  },
};

test.each(Object.entries(cases))("%s", (_, { instance, want }) => {
  expect(dueOf(instance, 2000)).toEqual(want);
});
