import { dns1123LabelProblem } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  headlessServiceName,
  instanceNamespaceName,
  nodePortServiceName,
  ownerOfNamespace,
  routeId,
  routeName,
  serviceName,
  shortened,
} from "./names.ts";

const uid = "2f1c7b7e-94f4-4c59-8d0e-51b7a0c6f3aa";

test("objects are named after their owner and container", () => {
  expect(instanceNamespaceName("7d9f6a52-54c1-4f0e-8a53-0e6b3a1c9d20")).toBe(
    "challenge-7d9f6a52-54c1-4f0e-8a53-0e6b3a1c9d20",
  );
  expect(ownerOfNamespace(instanceNamespaceName(uid))).toBe(uid);
  expect(ownerOfNamespace("kube-system")).toBeUndefined();
  expect([serviceName("web"), nodePortServiceName("web"), headlessServiceName("web"), routeName("web", 80)]).toEqual([
    "web",
    "web-node-port",
    "web-headless",
    "web-80",
  ]);
});

describe("the id of a route", () => {
  test("is the same at every attempt", () => {
    expect(routeId(uid, "web", 80, "TCP")).toBe(routeId(uid, "web", 80, "TCP"));
  });

  test("has 128 bits in hex, so that it is a DNS label and a label value", () => {
    expect(routeId(uid, "web", 80, "TCP")).toMatch(/^[0-9a-f]{32}$/);
  });

  test("is another one for every instance, container, port and protocol", () => {
    const ids = [
      routeId(uid, "web", 80, "TCP"),
      routeId("2f1c7b7e-94f4-4c59-8d0e-51b7a0c6f3ab", "web", 80, "TCP"),
      routeId(uid, "we", 80, "TCP"),
      routeId(uid, "web", 8, "TCP"),
      routeId(uid, "web8", 0, "TCP"),
      routeId(uid, "web", 80, "UDP"),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("does not show the UID from which it is made", () => {
    expect(uid.replaceAll("-", "")).not.toContain(routeId(uid, "web", 80, "TCP").slice(0, 8));
  });
});

describe("a name that is too long", () => {
  test("is cut, and still told apart from others with the same beginning", () => {
    const a = shortened(`${"x".repeat(63)}a`);
    const b = shortened(`${"x".repeat(63)}b`);
    expect([a.length, b.length]).toEqual([63, 63]);
    expect(a).not.toBe(b);
  });

  test("one that fits stays as it is", () => {
    expect(shortened("x".repeat(63))).toBe("x".repeat(63));
  });

  test("is still a name for a Service, wherever it is cut", () => {
    const hostname = fc.stringMatching(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/);
    fc.assert(
      fc.property(hostname, (name) => {
        expect(dns1123LabelProblem(nodePortServiceName(name))).toBeUndefined();
        expect(dns1123LabelProblem(headlessServiceName(name))).toBeUndefined();
      }),
    );
    expect(dns1123LabelProblem(nodePortServiceName(`${"x".repeat(50)}${"-".repeat(12)}x`))).toBeUndefined();
  });
});
