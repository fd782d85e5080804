import fc from "fast-check";
import { expect, test } from "vitest";
import { annotations } from "../../vocabulary.ts";
import { makeAccount } from "../testing/accounts.ts";
import { fieldManager } from "../vocabulary.ts";
import { decideRelease, type Leaving } from "./decide.ts";

const account = (labels: Record<string, string> = {}, claimer = "r1") =>
  makeAccount("a", {
    labels: { tenantName: "t1", ...labels },
    annotations: claimer === "" ? {} : { [annotations.claimedBy]: claimer },
  });
const left = (claimer: string, { by = claimer, tenantBy = fieldManager } = {}) =>
  makeAccount("a", {
    labels: { tenantName: "t1" },
    annotations: { [annotations.claimedBy]: claimer, [annotations.claimLeft]: by },
    tenantBy,
  });
const leaving: Leaving = {
  request: "r1",
  binding: { name: "a", uid: "uid-a" },
  tenant: "t1",
  account: account(),
  others: [],
  hasShoot: false,
  isOurs: (request) => ["r1", "r2", "r3"].includes(request),
};
const staying = { uid: "r2", stays: true };
const alsoLeaving = { uid: "r3", stays: false };

test.each<[string, Partial<Leaving>]>([
  ["nothing uses", {}],
  ["another request of ours has claimed", { account: account({}, "r2") }],
  ["others have that go as well", { others: [alsoLeaving] }],
  ["one that is gone has claimed, and left", { account: left("gone") }],
])("an account that %s is marked dirty", (_, part) => {
  expect(decideRelease({ ...leaving, ...part })).toMatchObject({ markDirty: true, reason: "MarkedDirty" });
});

test.each<[string, Partial<Leaving>, string]>([
  ["another request has it", { others: [staying] }, "StillUsed"],
  ["a Shoot uses it", { hasShoot: true }, "StillUsed"],
  ["it is gone", { account: undefined }, "NotOurs"],
  ["another one has its name", { account: makeAccount("a", { uid: "x", labels: { tenantName: "t1" } }) }, "NotOurs"],
  ["it is shared", { account: account({ shared: "true" }) }, "NotOurs"],
  ["a shared one was asked for", { tenant: undefined }, "NotOurs"],
  ["it is another tenant's", { account: account({ tenantName: "t2" }) }, "NotOurs"],
  ["it is nobody's", { account: makeAccount("a") }, "NotOurs"],
  ["it is dirty already", { account: account({ dirty: "true" }) }, "NotOurs"],
  ["it is internal", { account: account({ internal: "true" }) }, "NotOurs"],
  ["others gave it to the tenant", { account: account({}, "") }, "NotOurs"],
  ["a request of another system has claimed it", { account: account({}, "theirs") }, "NotOurs"],
  ["another system has claimed it since one of ours left it", { account: left("theirs", { by: "gone" }) }, "NotOurs"],
  ["others have given it away since", { account: left("gone", { tenantBy: "others" }) }, "NotOurs"],
])("it is left as it is where %s", (_, part, reason) => {
  expect(decideRelease({ ...leaving, ...part })).toMatchObject({ markDirty: false, reason });
});

test.each<[string, Partial<Leaving>, string | undefined]>([
  ["one that stays", { others: [alsoLeaving, staying] }, "r2"],
  ["nobody who goes as well", { others: [alsoLeaving], hasShoot: true }, undefined],
  ["nobody where there is none", { hasShoot: true }, undefined],
  ["nobody where it is marked dirty", { others: [alsoLeaving] }, undefined],
  ["one that stays, from one that goes as well", { others: [alsoLeaving, staying], account: account({}, "r3") }, "r2"],
  ["nobody where one that stays has the claim", { others: [staying], account: account({}, "r2") }, undefined],
  [
    "nobody where one that goes as well can",
    { others: [alsoLeaving], account: account({}, "r3"), hasShoot: true },
    undefined,
  ],
  ["nobody where it is not ours", { others: [staying], account: account({}, "theirs") }, undefined],
])("the claim is passed on to %s", (_, part, heir) => {
  expect(decideRelease({ ...leaving, ...part }).heir).toBe(heir);
});

test.each<[string, Partial<Leaving>, boolean]>([
  ["its own is", {}, true],
  ["its own is, whoever goes as well", { others: [alsoLeaving] }, true],
  ["that of one that goes as well is", { others: [alsoLeaving], account: account({}, "r3") }, true],
  ["what is left already is not", { account: left("r1") }, false],
  ["that of one that stays is not", { others: [staying], account: account({}, "r2") }, false],
  ["its own is not where one stays", { others: [staying] }, false],
  ["that of another system is not", { account: account({}, "theirs") }, false],
  ["what others gave to the tenant is not", { account: account({}, "") }, false],
])("of claims on what a Shoot uses, %s left to the next", (_, part, want) => {
  expect(decideRelease({ ...leaving, hasShoot: true, ...part }).leaveClaim ?? false).toBe(want);
});

test("whatever is on it, only the tenant's own, claimed by us, clean and unused is marked", () => {
  const some = fc.option(fc.constantFrom("true", "false", ""), { nil: undefined });
  const labels = fc.record({ shared: some, dirty: some, internal: some, tenantName: fc.constantFrom("t1", "t2") });
  const claimers = fc.constantFrom("r1", "r2", "theirs", "");
  fc.assert(
    fc.property(labels, claimers, fc.boolean(), fc.boolean(), (given, claimer, hasOther, hasShoot) => {
      const known = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
      const { markDirty } = decideRelease({
        ...leaving,
        account: account(Object.fromEntries(known), claimer),
        others: hasOther ? [staying] : [],
        hasShoot,
      });
      const isClean = given.dirty === undefined && given.internal === undefined && given.shared !== "true";
      const isOurs = given.tenantName === "t1" && claimer.startsWith("r");
      expect(markDirty).toBe(isClean && isOurs && !hasOther && !hasShoot);
    }),
  );
});
