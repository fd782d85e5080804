import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { storedConfigMap } from "../testing/objects.ts";
import { SettledChildren } from "./settled-children.ts";

const wanted = { data: { cpu: "0.5" } };
/** A server that writes halves in its own way. */
const answer = storedConfigMap("quota", 1, { data: { cpu: "500m" } });

test("what is as wanted needs no write, and nothing is remembered for it", () => {
  const settled = new SettledChildren();
  expect(settled.has(wanted, storedConfigMap("quota", 1, { data: { cpu: "0.5", more: "1" } }))).toBe(true);
  expect(settled.has(wanted, answer)).toBe(false);
});

test("what the server writes in another way is written once, whatever others add to it", () => {
  const settled = new SettledChildren();
  settled.wrote(wanted, answer);
  expect(settled.has(wanted, answer)).toBe(true);
  const touched = storedConfigMap("quota", 2, { labels: { a: "b" }, data: { cpu: "500m", more: "1" } });
  expect(settled.has(wanted, touched)).toBe(true);
});

test.each([
  { name: "somebody changes it", wants: wanted, found: storedConfigMap("quota", 2, { data: { cpu: "9" } }) },
  { name: "something else is wanted", wants: { data: { cpu: "0.25" } }, found: answer },
  { name: "it is made anew", wants: wanted, found: storedConfigMap("quota", 2, { uid: "u2", data: { cpu: "500m" } }) },
])("it is worth a write again when $name", ({ wants, found }) => {
  const settled = new SettledChildren();
  settled.wrote(wanted, answer);
  expect(settled.has(wants, found)).toBe(false);
});

test("what the server makes of a network policy counts with all that stands in it", () => {
  const settled = new SettledChildren();
  const policy = { spec: { podSelector: {} } };
  const made = { ...storedConfigMap("policy", 1), kind: "NetworkPolicy", spec: { policyTypes: ["Ingress"] } };
  settled.wrote(policy, made);
  expect(settled.has(policy, made)).toBe(true);
  const opened = { ...made, spec: { ...made.spec, ingress: [{}] } };
  expect(settled.has(policy, opened)).toBe(false);
});

test("what is gone is forgotten", () => {
  const settled = new SettledChildren();
  settled.wrote(wanted, answer);
  expect(settled.has(wanted, answer)).toBe(true);
  settled.forget(answer.metadata.uid);
  expect([settled.has(wanted, answer), settled.had(answer)]).toEqual([false, false]);
});

test.each([
  { name: "as wanted", found: storedConfigMap("quota", 1, { data: { cpu: "0.5" } }), had: true },
  { name: "as the server lets it be", found: answer, had: true },
  { name: "in another way", found: storedConfigMap("quota", 1, { data: { cpu: "9" } }), had: false },
])("what was found $name before is known to have been right: $had", ({ found, had }) => {
  const settled = new SettledChildren();
  settled.wrote(wanted, answer);
  settled.has(wanted, found);
  expect(settled.had(storedConfigMap("quota", 2, { data: { cpu: "9" } }))).toBe(had);
});

test("what was wanted is kept in memory by nobody but those who want it", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const settled = new SettledChildren();
  const found = Object.freeze(storedConfigMap("quota", 1, { data: { cpu: "0.5" } }));
  const look = () => {
    const wants = structuredClone(wanted);
    expect(settled.has(wants, found)).toBe(true);
    return new WeakRef(wants);
  };
  const ref = look();
  await nextTurn();
  collectGarbage();
  expect(ref.deref()).toBeUndefined();
  expect(settled.has(wanted, found)).toBe(true);
});
