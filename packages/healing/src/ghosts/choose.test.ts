import { expect, test } from "vitest";
import { makeNamespace } from "../removing/testing/objects.ts";
import { chooseGhosts } from "./choose.ts";
import type { Ghost } from "./find.ts";

const ghosts = (count: number): Ghost[] =>
  Array.from({ length: count }, (_, index) => ({
    namespace: makeNamespace(`challenge-${index}`),
    instanceUid: `${index}`,
  }));
const seenAt = (time: number) => () => time;
const options = { firstSeen: seenAt(0), now: 60, graceMs: 60, namespaces: 1000 };

test.each([
  [59, 0, 60],
  [60, 1, undefined],
  [61, 1, undefined],
])("%i ms after it was first seen, with a grace of 60, %i is swept", (now, count, nextAt) => {
  const choice = chooseGhosts(ghosts(1), { ...options, now });
  expect([choice.sweep.length, choice.nextAt]).toEqual([count, nextAt]);
});

test("one that was never noted is not swept, and not waited for", () => {
  const firstSeen = seenAt(Number.POSITIVE_INFINITY);
  expect(chooseGhosts(ghosts(1), { ...options, firstSeen })).toEqual({ sweep: [] });
});

test.each([
  { count: 10, namespaces: 10, force: false, swept: 10 },
  { count: 11, namespaces: 11, force: false, swept: 0 },
  { count: 11, namespaces: 21, force: false, swept: 0 },
  { count: 11, namespaces: 22, force: false, swept: 11 },
  { count: 11, namespaces: 11, force: true, swept: 11 },
])("of $namespaces namespaces $count are ghosts (force: $force): $swept are swept", ({ count, swept, ...more }) => {
  const { sweep, brake } = chooseGhosts(ghosts(count), { ...options, ...more });
  expect(sweep).toHaveLength(swept);
  if (swept > 0) expect(brake).toBeUndefined();
  else expect(brake).toMatch(/^11 of \d+ namespaces belong to no ChallengeInstance.* --force$/);
});

test("young ghosts do not pull the brake", () => {
  const young = ghosts(20);
  const firstSeen = (ghost: Ghost) => (ghost === young[0] ? 0 : 30);
  const { sweep, brake, nextAt } = chooseGhosts(young, { ...options, firstSeen, namespaces: 20 });
  expect([sweep.length, brake, nextAt]).toEqual([1, undefined, 90]);
});
