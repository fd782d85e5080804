import { describe, expect, test } from "vitest";
import { annotations } from "../../vocabulary.ts";
import type { Account } from "../pool/account.ts";
import { makeAccount } from "./accounts.ts";
import { breachesOf, type Moment, type RequestLife, type ShootLife } from "./pool-laws.ts";

const claim: Record<string, string> = { [annotations.claimedBy]: "r1" };
const account = (labels: Record<string, string>, notes: Record<string, string> = {}, name = "a") =>
  makeAccount(name, { labels, annotations: notes });
const moment = (before: Account | undefined, after: Account | undefined, version = 10n): Moment => ({
  version,
  at: 10_000,
  name: (after ?? before)?.metadata.name ?? "",
  before,
  after,
});
const breaches = (moments: Moment[], shoots: { from: bigint; until: bigint | undefined }[] = []) =>
  breachesOf({
    moments,
    shoots: shoots.map((life) => ({ accounts: ["a"], ...life })),
    requests: [],
    limits: {},
  });

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

/** A tenant that has one is given another. */
const another = (tenantName: string, notes = claim) => [
  moment(undefined, account({ tenantName }, notes, "a"), 9n),
  moment(account({}, {}, "b"), account({ tenantName }, notes, "b")),
];

test("two accounts of one tenant and type are a breach, unless it may have them", () => {
  expect(breaches(another("t1")).join()).toContain("t1/aws has a and b");
  expect(breaches(another("t1", { ...claim, [annotations.claimPending]: "p" }))).toEqual([]);
  expect(breaches(another("t1", {}))).toEqual([]);
});

describe("a tenant that may have several, of two clusters each,", () => {
  const since = (from: number, until?: number) => ({ account: "a", from, until });
  const found = (requests: RequestLife[], shoots: ShootLife[] = []) =>
    breachesOf({ moments: another("rich"), shoots, requests, limits: { rich: 2 } }).join();

  test.each<[string, RequestLife[]]>([
    ["nobody has the first", []],
    ["one has it", [since(1_000)]],
    ["of two that have had it, one was gone", [since(1_000), since(1_000, 5_000)]],
    ["of two that have it, one came later", [since(1_000), since(15_000)]],
    ["the second is on another", [since(1_000), { ...since(1_000), account: "b" }]],
  ])("is given no other while %s", (_, requests) => {
    expect(found(requests)).toContain("rich/aws has one more, though a has");
  });

  test("is given another when the first is full, by requests or by Shoots", () => {
    expect(found([since(1_000), since(2_000)])).toBe("");
    expect(found([since(1_000)], [{ accounts: ["a"], from: 1n, until: undefined }])).toBe("");
  });

  test("keeps both when they run empty", () => {
    const moments = [
      ...another("rich"),
      {
        ...moment(account({ tenantName: "rich" }, claim, "b"), account({ tenantName: "rich" }, claim, "b")),
        at: 60_000,
      },
    ];
    const requests = [since(1_000, 30_000), since(1_000, 30_000)];
    expect(breachesOf({ moments, shoots: [], requests, limits: { rich: 2 } })).toEqual([]);
  });
});
