import fc from "fast-check";
import { expect, test } from "vitest";
import { makeAccount } from "../testing/accounts.ts";
import { decideRelease, type Leaving } from "./decide.ts";

const account = (labels: Record<string, string> = {}) => makeAccount("a", { labels: { tenantName: "t1", ...labels } });
const leaving: Leaving = {
  binding: { name: "a", uid: "uid-a" },
  tenant: "t1",
  account: account(),
  hasOtherRequest: false,
  hasShoot: false,
};

test("an account that nothing uses is marked dirty", () => {
  expect(decideRelease(leaving)).toMatchObject({ markDirty: true, reason: "MarkedDirty" });
});

test.each<[string, Partial<Leaving>, string]>([
  ["another request has it", { hasOtherRequest: true }, "StillUsed"],
  ["a Shoot uses it", { hasShoot: true }, "StillUsed"],
  ["it is gone", { account: undefined }, "NotOurs"],
  ["another one has its name", { account: makeAccount("a", { uid: "x", labels: { tenantName: "t1" } }) }, "NotOurs"],
  ["it is shared", { account: account({ shared: "true" }) }, "NotOurs"],
  ["a shared one was asked for", { tenant: undefined }, "NotOurs"],
  ["it is another tenant's", { account: account({ tenantName: "t2" }) }, "NotOurs"],
  ["it is nobody's", { account: makeAccount("a") }, "NotOurs"],
  ["it is dirty already", { account: account({ dirty: "true" }) }, "NotOurs"],
  ["it is internal", { account: account({ internal: "true" }) }, "NotOurs"],
])("it is left as it is where %s", (_, part, reason) => {
  expect(decideRelease({ ...leaving, ...part })).toMatchObject({ markDirty: false, reason });
});

test("whatever its labels are, only the tenant's own, clean and unused is marked", () => {
  const some = fc.option(fc.constantFrom("true", "false", ""), { nil: undefined });
  const labels = fc.record({ shared: some, dirty: some, internal: some, tenantName: fc.constantFrom("t1", "t2") });
  fc.assert(
    fc.property(labels, fc.boolean(), fc.boolean(), (given, hasOtherRequest, hasShoot) => {
      const known = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const { markDirty } = decideRelease({
        ...leaving,
        account: makeAccount("a", { labels: Object.fromEntries(known) }),
        hasOtherRequest,
        hasShoot,
      });
      const isClean = given.dirty === undefined && given.internal === undefined && given.shared !== "true";
      expect(markDirty).toBe(isClean && given.tenantName === "t1" && !hasOtherRequest && !hasShoot);
    }),
  );
});
