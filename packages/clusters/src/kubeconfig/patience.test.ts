import { expect, test } from "vitest";
import { FakeClock } from "../../../kube/src/testing/fake-clock.ts";
import { Patience, type Visitor } from "./patience.ts";

const away = { type: "TargetReachable", reason: "Away", message: "it is away", again: true };
const refused = { ...away, type: "RBACReady" };

function visitor(uid: string, parts: Partial<Visitor> = {}): Visitor {
  return { uid, facts: "facts", cluster: { uid: "cluster", facts: "facts" }, isRevoking: false, ...parts };
}

function make() {
  const clock = new FakeClock();
  return { clock, patience: new Patience(clock, () => 0) };
}

test("a target is left alone for 5 s, 10 s, … 2 min", async () => {
  const { clock, patience } = make();
  const one = visitor("one");
  const rests: number[] = [];
  for (let turn = 0; turn < 7; turn++) {
    const { ms } = patience.failed(one, away);
    rests.push(ms / 1000);
    expect(patience.resting(one)).toEqual({ trouble: away, ms });
    await clock.advance(ms);
    expect(patience.resting(one)).toBeUndefined();
  }
  expect(rests).toEqual([5, 10, 20, 40, 80, 120, 120]);
});

test("other facts end a rest, and begin a new count", () => {
  const { patience } = make();
  const asleep = visitor("one", { facts: "sleeps", cluster: { uid: "cluster", facts: "sleeps" } });
  const awake = visitor("one", { facts: "awake", cluster: { uid: "cluster", facts: "awake" } });
  expect(patience.failed(asleep, { ...away, again: false }).ms).toBe(600_000);
  expect([patience.resting(asleep), patience.resting(awake)]).toEqual([expect.anything(), undefined]);
  expect(patience.failed(awake, away).ms).toBe(5_000);
  patience.succeeded(awake);
  expect(patience.resting(awake)).toBeUndefined();
});

test("where the target is what is wrong, its other requests rest as well; those of others do not", async () => {
  const { clock, patience } = make();
  patience.failed(visitor("one"), away);
  const elsewhere = visitor("two", { cluster: { uid: "another", facts: "facts" } });
  expect([patience.resting(visitor("two")), patience.resting(elsewhere)]).toEqual([
    { trouble: away, ms: 5_000 },
    undefined,
  ]);
  // Several who were there at once are one failure.
  patience.failed(visitor("two"), away);
  expect(patience.resting(visitor("three"))?.ms).toBe(5_000);
  await clock.advance(5_000);
  patience.failed(visitor("three"), away);
  expect(patience.resting(visitor("four"))?.ms).toBe(10_000);
  patience.succeeded(visitor("two"));
  expect(patience.resting(visitor("four"))).toBeUndefined();
});

test("trouble of one request is that request's", () => {
  const { patience } = make();
  patience.failed(visitor("one"), refused);
  expect([patience.resting(visitor("one"))?.trouble, patience.resting(visitor("two"))]).toEqual([refused, undefined]);
});

test("what takes access away is tried whatever others have met, and then rests", () => {
  const { patience } = make();
  patience.failed(visitor("one"), away);
  const revoking = visitor("two", { isRevoking: true });
  expect(patience.resting(revoking)).toBeUndefined();
  patience.failed(revoking, away);
  expect(patience.resting(revoking)).toEqual({ trouble: away, ms: 5_000 });
});

test("two at a time go to a target that is in trouble; as many as like to one that is well", async () => {
  const { clock, patience } = make();
  const names = ["one", "two", "three", "four"];
  const visits = names.map((name) => patience.begin(visitor(name)));
  expect(patience.resting(visitor("five"))).toBeUndefined();
  patience.failed(visitor("one"), away);
  for (const visit of visits) visit[Symbol.dispose]();
  await clock.advance(5_000);
  const first = patience.begin(visitor("two"));
  expect(patience.resting(visitor("three"))).toBeUndefined();
  patience.begin(visitor("three"));
  expect(patience.resting(visitor("four", { isRevoking: true }))).toEqual({ trouble: away, ms: 5_000 });
  first[Symbol.dispose]();
  expect(patience.resting(visitor("four"))).toBeUndefined();
  patience.begin(visitor("four"));
  patience.succeeded(visitor("three"));
  expect(patience.resting(visitor("five"))).toBeUndefined();
});
