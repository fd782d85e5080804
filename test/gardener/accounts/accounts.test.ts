import { expect, test } from "vitest";
import { makePool, plainPool } from "./accounts.ts";

/** The same numbers each time. */
function repeatable(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test("a pool has some of everything, and labels of others on all", () => {
  const pool = makePool({ accounts: { aws: 200, "gcp_cf-sa30": 100 }, tenants: ["one", "two"], random: repeatable(7) });
  expect(pool).toHaveLength(300);
  expect(new Set(pool.map(({ name }) => name)).size).toBe(300);
  for (const label of ["shared", "euAccess", "internal", "tenantName", "dirty"]) {
    const having = pool.filter(({ labels }) => labels[label] !== undefined).length;
    expect([label, having > 0 && having < 100]).toEqual([label, true]);
  }
  expect(pool.every(({ labels }) => labels["team.example.org/owner"] === "platform")).toBe(true);
  expect(pool.at(-1)).toMatchObject({
    name: "gcp-cf-sa30-0099",
    provider: "gcp",
    labels: { hyperscalerType: "gcp_cf-sa30" },
  });
});

test("nobody's account is shared, and only claimed ones are dirty", () => {
  const pool = makePool({ accounts: { aws: 500 }, tenants: ["one"], random: repeatable(1) });
  expect(pool.filter(({ labels }) => labels.shared && labels.tenantName)).toEqual([]);
  expect(pool.filter(({ labels }) => labels.dirty && !labels.tenantName)).toEqual([]);
});

test("without tenants nothing is claimed", () => {
  const pool = makePool({ accounts: { aws: 100 }, random: repeatable(3) });
  expect(pool.filter(({ labels }) => labels.tenantName !== undefined)).toEqual([]);
});

test("a plain pool is free for all", () => {
  expect(plainPool("aws", 2)).toEqual([
    { name: "aws-0000", provider: "aws", labels: { hyperscalerType: "aws" } },
    { name: "aws-0001", provider: "aws", labels: { hyperscalerType: "aws" } },
  ]);
});
