import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMessage, eventName, makeEvent } from "./event.ts";

const nanos = 1_767_225_600_000_000_001n;

describe("makeEvent", () => {
  const source = { component: "instance-controller", instance: "pod-1" };
  const said = {
    type: "Normal",
    reason: "Started",
    message: "it runs",
    source,
    time: "2026-01-01T00:00:00Z",
    nanos,
  } as const;

  test("an event lives beside its object", () => {
    const metadata = { name: "web", namespace: "ctf", uid: "u1" };
    expect(makeEvent({ ...said, object: { apiVersion: "berg/v1", kind: "Challenge", metadata } })).toEqual({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "web.18867251edfa0001", namespace: "ctf" },
      involvedObject: { apiVersion: "berg/v1", kind: "Challenge", name: "web", namespace: "ctf", uid: "u1" },
      type: "Normal",
      reason: "Started",
      message: "it runs",
      count: 1,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      source: { component: "instance-controller" },
      reportingComponent: "instance-controller",
      reportingInstance: "pod-1",
    });
  });

  test("an event about a part of an object names the part, and the node that tells of it", () => {
    const metadata = { name: "web", namespace: "ctf" };
    const source = { component: "kubelet", instance: "node", host: "node" };
    const object = { apiVersion: "v1", kind: "Pod", metadata };
    const event = makeEvent({ ...said, object, source, fieldPath: "spec.containers{web}" });
    expect(event.involvedObject.fieldPath).toBe("spec.containers{web}");
    expect(event.source).toEqual({ component: "kubelet", host: "node" });
  });

  test("an event about a cluster-scoped object lives in default, and names no namespace for it", () => {
    const event = makeEvent({ ...said, object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "ctf" } } });
    expect(event.metadata.namespace).toBe("default");
    expect(event.involvedObject).toEqual({ apiVersion: "v1", kind: "Namespace", name: "ctf" });
  });
});

describe("eventName", () => {
  const cases = [
    { object: "web", want: "web.18867251edfa0001" },
    { object: "system:node:a", want: "system-node-a.18867251edfa0001" },
    { object: "Web_1-", want: "web-1.18867251edfa0001" },
    { object: "0.-0..a-.b", want: "0.0.a.b.18867251edfa0001" },
    { object: "::", want: "object.18867251edfa0001" },
    { object: "a".repeat(253), want: `${"a".repeat(236)}.18867251edfa0001` },
  ];
  for (const { object, want } of cases) {
    test(`of ${object.slice(0, 20)} is ${want.slice(0, 40)}`, () => expect(eventName(object, nanos)).toBe(want));
  }

  test("is always a name that the server takes", () => {
    const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (object) => {
        const name = eventName(object, nanos);
        expect(name.length).toBeLessThanOrEqual(253);
        expect(name).toMatch(new RegExp(`^${label}(\\.${label})*$`));
      }),
    );
  });
});

describe("cutMessage", () => {
  const cases = [
    { name: "fits", message: "a".repeat(1024), want: "a".repeat(1024) },
    { name: "is one byte too long", message: "a".repeat(1025), want: "a".repeat(1024) },
    { name: "would break in a two-byte character", message: `${"a".repeat(1023)}éé`, want: "a".repeat(1023) },
    { name: "would break in a four-byte character", message: `${"a".repeat(1021)}🚩🚩`, want: "a".repeat(1021) },
    {
      name: "ends with a whole four-byte character",
      message: `${"a".repeat(1020)}🚩🚩`,
      want: `${"a".repeat(1020)}🚩`,
    },
  ];
  for (const { name, message, want } of cases) {
    test(`a message that ${name}`, () => expect(cutMessage(message)).toBe(want));
  }

  test("what is left is a beginning of the message, as long as can be", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 200, maxLength: 1500 }), (message) => {
        const cut = cutMessage(message);
        const size = new TextEncoder().encode(cut).length;
        expect(message.startsWith(cut)).toBe(true);
        expect(size).toBeLessThanOrEqual(1024);
        if (cut !== message) expect(size).toBeGreaterThan(1020);
      }),
    );
  });
});
