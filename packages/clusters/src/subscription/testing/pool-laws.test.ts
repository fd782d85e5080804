import { expect, test } from "vitest";
import { annotations } from "../../vocabulary.ts";
import type { Account } from "../pool/account.ts";
import { makeAccount } from "./accounts.ts";
import { breachesOf, type Moment } from "./pool-laws.ts";

const claim: Record<string, string> = { [annotations.claimedBy]: "r1" };
const account = (labels: Record<string, string>, notes: Record<string, string> = {}, name = "a") =>
  makeAccount(name, { labels, annotations: notes });
const moment = (before: Account | undefined, after: Account | undefined, version = 10n): Moment => ({
  version,
  name: (after ?? before)?.metadata.name ?? "",
  before,
  after,
});
const breaches = (moments: Moment[], shoots: { from: bigint; until: bigint | undefined }[] = []) =>
  breachesOf({ moments, shoots: shoots.map((life) => ({ accounts: ["a"], ...life })), many: ["rich"] });

test.each<[string, Account, Account]>([
  ["claimed", account({}), account({ tenantName: "t1" }, claim)],
  ["marked dirty", account({ tenantName: "t1" }, claim), account({ tenantName: "t1", dirty: "true" }, claim)],
  ["cleaned", account({ tenantName: "t1", dirty: "true" }), account({})],
  ["taken back", account({ tenantName: "t1" }, { [annotations.claimPending]: "p" }), account({})],
])("an account may be %s", (_, before, after) => {
  expect(breaches([moment(before, after)])).toEqual([]);
});

test.each<[string, Account, Account]>([
  ["two tenants", account({ tenantName: "t1" }), account({ tenantName: "t2" })],
  ["taken from its tenant", account({ tenantName: "t1" }), account({})],
  ["claimed though", account({ internal: "true" }), account({ internal: "true", tenantName: "t1" })],
  ["claimed though", account({ shared: "true" }), account({ shared: "true", tenantName: "t1" })],
  ["claimed though", account({ dirty: "true" }), account({ dirty: "true", tenantName: "t1" })],
  ["is nobody's", account({}), account({ dirty: "true" })],
  ["others claimed it", account({ tenantName: "t1" }), account({ tenantName: "t1", dirty: "true" })],
  [
    "shared or internal",
    account({ shared: "true", tenantName: "t" }),
    account({ shared: "true", tenantName: "t", dirty: "true" }),
  ],
  ["others' labels changed", account({ team: "blue" }), account({})],
])("%s is a breach", (want, before, after) => {
  expect(breaches([moment(before, after)]).join()).toContain(want);
});

test("what a Shoot uses is not marked dirty, before its first moment and after its last apart", () => {
  const marked = [moment(account({ tenantName: "t1" }, claim), account({ tenantName: "t1", dirty: "true" }, claim))];
  expect(breaches(marked, [{ from: 5n, until: undefined }]).join()).toContain("a Shoot uses it");
  expect(breaches(marked, [{ from: 5n, until: 15n }]).join()).toContain("a Shoot uses it");
  expect(breaches(marked, [{ from: 5n, until: 8n }])).toEqual([]);
  expect(breaches(marked, [{ from: 12n, until: undefined }])).toEqual([]);
});

test("two accounts of one tenant and type are a breach, unless it may have them", () => {
  const both = (tenantName: string, notes = claim) => [
    moment(undefined, account({ tenantName }, notes, "a")),
    moment(undefined, account({ tenantName }, notes, "b")),
  ];
  expect(breaches(both("t1")).join()).toContain("t1/aws has a and b");
  expect(breaches(both("rich"))).toEqual([]);
  expect(breaches(both("t1", { ...claim, [annotations.claimPending]: "p" }))).toEqual([]);
});
