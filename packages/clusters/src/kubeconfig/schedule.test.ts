import fc from "fast-check";
import { expect, test } from "vitest";
import { againDue, isAhead, lifeByOurClock, rotationDue, spread } from "./schedule.ts";

const lives = fc
  .record({ issuedAt: fc.integer({ min: 0, max: 1e12 }), seconds: fc.integer({ min: 60, max: 86_400 }) })
  .map(({ issuedAt, seconds }) => ({ issuedAt, expiresAt: issuedAt + seconds * 1000 }));

test("it is replaced between 72 and 80 % of its life, at the same moment whenever it is asked", () => {
  fc.assert(
    fc.property(lives, fc.string(), (life, who) => {
      const due = rotationDue(life, who);
      const share = (due - life.issuedAt) / (life.expiresAt - life.issuedAt);
      expect(share).toBeGreaterThanOrEqual(0.72);
      expect(share).toBeLessThanOrEqual(0.8);
      expect(rotationDue(life, who)).toBe(due);
    }),
  );
});

test("those that are issued together are not replaced together", () => {
  const life = { issuedAt: 0, expiresAt: 3_600_000 };
  const dues = new Set(Array.from({ length: 100 }, (_, at) => Math.round(rotationDue(life, `r${at}`) / 1000)));
  expect(dues.size).toBeGreaterThan(60);
});

test("what is overdue at a restart waits at most 60 s, and never below a tenth of its life", () => {
  fc.assert(
    fc.property(lives, fc.string(), fc.integer({ min: 0, max: 1e6 }), (life, who, later) => {
      const due = rotationDue(life, who);
      const startedAt = due + later;
      const at = spread(due, life, who, startedAt);
      expect(at).toBeGreaterThanOrEqual(due);
      expect(at).toBeLessThanOrEqual(startedAt + 60_000);
      expect(at).toBeLessThanOrEqual(Math.max(due, life.expiresAt - (life.expiresAt - life.issuedAt) * 0.1));
    }),
  );
});

test("a copy that somebody takes away is put back at once, then ever later, and after ten minutes at most", () => {
  const life = { issuedAt: 1_000, expiresAt: 3_601_000 };
  const seconds = [0, 1, 2, 3, 7, 32].map((former) => Math.max(0, againDue(life, former) - life.issuedAt) / 1000);
  expect(seconds).toEqual([0, 10, 20, 40, 600, 600]);
});

test("what falls due long after the start does not wait", () => {
  const life = { issuedAt: 0, expiresAt: 3_600_000 };
  const due = rotationDue(life, "one");
  expect(spread(due, life, "one", due - 60_000)).toBe(due);
});

test.each([
  {
    name: "a clock like ours",
    its: { issuedAt: 1_000_000, expiresAt: 1_600_000 },
    now: 1_029_000,
    want: [1_000_000, 1_600_000],
  },
  {
    name: "one that is behind",
    its: { issuedAt: 1_000_000, expiresAt: 1_600_000 },
    now: 2_000_000,
    want: [2_000_000, 2_600_000],
  },
  { name: "one that is ahead", its: { issuedAt: 1_000_000, expiresAt: 1_300_000 }, now: 0, want: [0, 300_000] },
  {
    name: "a token that never ends",
    its: { issuedAt: 1_000_000, expiresAt: 8.64e15 },
    now: 1_000_000,
    want: [1_000_000, 1_660_000],
  },
  {
    name: "a token that never ends, of another clock",
    its: { issuedAt: 0, expiresAt: 8.64e15 },
    now: 1_000_000,
    want: [1_000_000, 1_660_000],
  },
])("$name", ({ its, now, want }) => {
  const { issuedAt, expiresAt } = lifeByOurClock(its, now, 600_000);
  expect([issuedAt, expiresAt]).toEqual(want);
});

test("a time of issue in the future tells that our clock was set back; a target may be a little ahead", () => {
  const life = { issuedAt: 1_000_000, expiresAt: 2_000_000 };
  expect([969_999, 970_000, 1_000_000].map((now) => isAhead(life, now))).toEqual([true, false, false]);
});
