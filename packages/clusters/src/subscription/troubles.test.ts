import { systemClock } from "@berg/kube";
import { expect, test } from "vitest";
import { makeRequest } from "./testing/accounts.ts";
import { Troubles } from "./troubles.ts";

const minutes = 60_000;
const telling = (reason: string, { leaving = false } = {}) =>
  makeRequest("one", {
    leaving,
    status: { conditions: [{ type: leaving ? "Released" : "PoolAvailable", status: "Unknown", reason }] },
  });

function troublesAt(): { troubles: Troubles; pass(ms: number): void } {
  let now = 0;
  const troubles = new Troubles({ ...systemClock, monotonic: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  return { troubles, pass };
}

test.each([{ leaving: false }, { leaving: true }])("the same trouble lasts from its first time (%j)", (which) => {
  const { troubles, pass } = troublesAt();
  expect(troubles.lastedMs(makeRequest("one", which), "GardenerForbidden")).toBe(0);
  pass(4 * minutes);
  expect(troubles.lastedMs(telling("GardenerForbidden", which), "GardenerForbidden")).toBe(4 * minutes);
  pass(7 * minutes);
  expect(troubles.lastedMs(telling("GardenerForbidden", which), "GardenerForbidden")).toBe(11 * minutes);
});

test("an outage before it does not count", () => {
  const { troubles, pass } = troublesAt();
  troubles.lastedMs(makeRequest("one"), "GardenerUnreachable");
  pass(30 * minutes);
  expect(troubles.lastedMs(telling("GardenerUnreachable"), "GardenerForbidden")).toBe(0);
  pass(minutes);
  expect(troubles.lastedMs(telling("GardenerForbidden"), "GardenerForbidden")).toBe(minutes);
});

test("nor does the same trouble, where it was over meanwhile", () => {
  const { troubles, pass } = troublesAt();
  troubles.lastedMs(makeRequest("one"), "GardenerForbidden");
  pass(30 * minutes);
  expect(troubles.lastedMs(telling("Available"), "GardenerForbidden")).toBe(0);
});

test("what another process has told counts from the first time here", () => {
  const { troubles, pass } = troublesAt();
  pass(30 * minutes);
  expect(troubles.lastedMs(telling("GardenerForbidden"), "GardenerForbidden")).toBe(0);
});

test("a request that is gone leaves nothing behind for the next of its name", () => {
  const { troubles, pass } = troublesAt();
  troubles.lastedMs(makeRequest("one"), "GardenerForbidden");
  troubles.forget("ctf/one");
  pass(30 * minutes);
  expect(troubles.lastedMs(telling("GardenerForbidden"), "GardenerForbidden")).toBe(0);
});
