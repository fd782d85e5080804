import { describe, expect, test } from "vitest";
import { annotations } from "../../vocabulary.ts";
import { makeAccount } from "../testing/accounts.ts";
import type { Account } from "./account.ts";
import { type Claimer, pickDedicated, pickShared, type Step } from "./pick.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const claimer: Claimer = { tenant: "t1", request: "r1", process: "here", limit: undefined, now };

const account = (name: string, labels: Record<string, string> = {}) => makeAccount(name, { labels });
const pending = (name: string, process: string, { by = "r9", at = "2026-01-01T00:00:00Z" } = {}) =>
  makeAccount(name, {
    labels: { tenantName: "t1" },
    annotations: {
      [annotations.claimedBy]: by,
      [annotations.claimedAt]: at,
      [annotations.claimPending]: process,
    },
  });

const said = (step: Step) => ("account" in step ? `${step.do} ${step.account.metadata.name}` : step.do);
const dedicated = (accounts: Account[], options: Partial<Claimer> = {}, users: Record<string, number> = {}) =>
  said(pickDedicated({ accounts, usersOf: ({ metadata }) => users[metadata.name] ?? 0 }, { ...claimer, ...options }));

const mine = { tenantName: "t1" };

describe("an account of a tenant's own", () => {
  test.each<[string, Account[], string]>([
    ["the one that it has", [account("free"), account("own", mine)], "use own"],
    ["the first by name of several", [account("b", mine), account("a", mine)], "use a"],
    ["internal ones too, if it is the tenant's", [account("own", { ...mine, internal: "true" })], "use own"],
    ["a dirty one is nobody's", [account("own", { ...mine, dirty: "true" }), account("free")], "claim free"],
    ["dirty is there or not, whatever it says", [account("own", { ...mine, dirty: "false" })], "none"],
    ["the first free one by name", [account("b"), account("a"), account("c")], "claim a"],
    ["never an internal one", [account("a", { internal: "true" })], "none"],
    ["never a shared one", [account("a", { shared: "true" })], "none"],
    ["never another's", [account("a", { tenantName: "t2" })], "none"],
    ["never one whose tenant is empty", [account("a", { tenantName: "" })], "none"],
    ["nothing from nothing", [], "none"],
  ])("%s", (_, accounts, want) => {
    expect(dedicated(accounts)).toBe(want);
  });
});

describe("a claim", () => {
  test.each<[string, Account[], string]>([
    ["stands where the tenant has nothing else", [pending("a", "here"), account("b")], "confirm a"],
    ["is taken back where the tenant has one that stands", [pending("a", "here"), account("b", mine)], "undo a"],
    ["also where that comes later by name", [pending("b", "here"), account("a", mine)], "undo b"],
    ["is taken back where another process claims too", [pending("a", "here"), pending("b", "there")], "undo a"],
    ["is waited for where another process is at it", [pending("a", "there"), account("b")], "wait"],
    ["of our own is the first by name", [pending("a", "here"), pending("b", "here")], "undo b"],
    ["is not used while it is pending", [pending("a", "there")], "wait"],
    ["left behind for this very request is taken over", [pending("a", "there", { by: "r1" })], "takeOver a"],
    ["left behind long ago is taken over", [pending("a", "there", { at: "2025-12-31T23:59:49Z" })], "takeOver a"],
    ["from the future is taken over", [pending("a", "there", { at: "2026-01-01T00:00:11Z" })], "takeOver a"],
    ["without a time is taken over", [pending("a", "there", { at: "yesterday" })], "takeOver a"],
    ["that stands is used before one that is left", [pending("a", "x", { by: "r1" }), account("b", mine)], "use b"],
  ])("%s", (_, accounts, want) => {
    expect(dedicated(accounts)).toBe(want);
  });
});

describe("several accounts of one tenant", () => {
  const own = [account("a", mine), account("b", mine), account("free")];
  test.each<[Record<string, number>, string]>([
    [{ a: 0, b: 0 }, "use a"],
    [{ a: 1, b: 2 }, "use b"],
    [{ a: 2, b: 3 }, "use a"],
    [{ a: 9, b: 1 }, "use b"],
    [{ a: 3, b: 3 }, "claim free"],
  ])("with %j clusters and a limit of 3: %s", (users, want) => {
    expect(dedicated(own, { limit: 3 }, users)).toBe(want);
  });

  test("are all full, and the pool is empty", () => {
    expect(dedicated([account("a", mine)], { limit: 1 }, { a: 1 })).toBe("none");
  });

  test("however full it is, one stays the only one without a limit", () => {
    expect(dedicated(own, {}, { a: 999 })).toBe("use a");
  });

  test("a claim is taken back where there is room again, and stands where all are full", () => {
    const both = [account("a", mine), pending("b", "here")];
    expect(dedicated(both, { limit: 3 }, { a: 2 })).toBe("undo b");
    expect(dedicated(both, { limit: 3 }, { a: 3 })).toBe("confirm b");
  });
});

describe("a shared account", () => {
  const shared = (name: string) => account(name, { shared: "true" });
  test.each<[string, Account[], Record<string, number>, string]>([
    ["the least used", [shared("a"), shared("b")], { a: 2, b: 1 }, "use b"],
    ["the first by name of those", [shared("c"), shared("b"), shared("a")], { a: 1 }, "use b"],
    ["none that is not shared", [account("a"), account("b", { shared: "false" })], {}, "none"],
  ])("%s", (_, accounts, users, want) => {
    expect(said(pickShared({ accounts, usersOf: ({ metadata }) => users[metadata.name] ?? 0 }))).toBe(want);
  });
});
