import fc from "fast-check";
import { expect, test } from "vitest";
import { isOf, labelsOf, networkNameOf } from "./names.ts";
import { makeNetwork, makeObject } from "./testing/make-network.ts";

test("a network is called as the object says, or after the object", () => {
  const uid = "0a1b2c3d-0000-0000-0000-000000000000";
  expect(networkNameOf(makeObject({ networkName: "lab" }))).toBe("lab");
  expect(networkNameOf(makeObject({ name: "blue", uid }))).toBe("berg-blue-0a1b2c3d");
});

test("whatever an object is called, engines take the name that is made up, and two objects have two", () => {
  const anyName = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/);
  fc.assert(
    fc.property(anyName, fc.uuid(), fc.uuid(), (name, one, other) => {
      const made = networkNameOf(makeObject({ name, uid: one }));
      expect(made).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/);
      if (one.slice(0, 8) !== other.slice(0, 8)) expect(networkNameOf(makeObject({ name, uid: other }))).not.toBe(made);
    }),
  );
});

test("only what was made for a session is the object's own", () => {
  const session = makeObject();
  const persistent = makeObject({ mode: "persistent", networkName: "lab" });
  expect(isOf(session, makeNetwork("x", labelsOf(session, "node")))).toBe(true);
  expect(isOf(persistent, makeNetwork("x", labelsOf(persistent, "node")))).toBe(false);
  expect(isOf(makeObject({ uid: "uid-2" }), makeNetwork("x", labelsOf(session, "node")))).toBe(false);
});
