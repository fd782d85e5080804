import fc from "fast-check";
import { expect, test } from "vitest";
import { mayTry, type Waiting } from "./queue.ts";

const waiting = (uid: string, tenant: string, second: number): Waiting => ({
  uid,
  tenant,
  creationTimestamp: `2026-01-01T00:00:0${second}Z`,
});

test("as many tenants as there are accounts, the first that came first", () => {
  const all = [waiting("a", "t1", 1), waiting("b", "t2", 2), waiting("c", "t3", 3)];
  const trying = (free: number) => all.filter((one) => mayTry(one, all, free)).map(({ uid }) => uid);
  expect([0, 1, 2, 3, 9].map(trying)).toEqual([[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c"]]);
});

test("all requests of a tenant come with its first", () => {
  const all = [waiting("a", "t1", 1), waiting("b", "t2", 2), waiting("c", "t1", 3)];
  expect(all.map((one) => mayTry(one, all, 1))).toEqual([true, false, true]);
});

test("one that is not known to wait yet is behind those that are", () => {
  expect(mayTry(waiting("x", "t9", 9), [waiting("a", "t1", 1)], 1)).toBe(false);
  expect(mayTry(waiting("x", "t9", 9), [], 1)).toBe(true);
});

test("there is always somebody for an account, and never more tenants than accounts", () => {
  const some = fc.array(
    fc.record({ uid: fc.uuid(), tenant: fc.constantFrom("a", "b", "c", "d"), second: fc.integer({ min: 0, max: 9 }) }),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 5 }), (given, free) => {
      const all = given.map(({ uid, tenant, second }) => waiting(uid, tenant, second));
      const tenants = new Set(all.filter((one) => mayTry(one, all, free)).map(({ tenant }) => tenant));
      expect(tenants.size).toBe(Math.min(free, new Set(all.map(({ tenant }) => tenant)).size));
    }),
  );
});
