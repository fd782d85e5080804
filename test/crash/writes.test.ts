import { expect, test } from "vitest";
import type { Seen } from "../faults/proxy.ts";
import { requestTarget } from "../faults/request-path.ts";
import { applied, formatPoint, trace, writePoints } from "./writes.ts";

function write(method: string, path: string, more: Partial<Seen> = {}): Seen {
  return { ...requestTarget(method, path), at: 1000, method, path, userAgent: "", watch: false, ...more };
}

const instances = "/apis/berg.norelect.ch/v1/namespaces/berg/challengeinstances";
const services = "/api/v1/namespaces/challenge-a/services";

test("writes are told apart by what they are and how often it came before", () => {
  const writes = [
    write("PATCH", `${instances}/one`),
    write("PUT", `${instances}/one/status`),
    write("POST", services),
    write("POST", "/api/v1/namespaces/berg/events"),
    write("POST", services),
    write("PUT", `${instances}/one/status`),
    write("DELETE", "/api/v1/namespaces/challenge-a/pods/web-1"),
    write("PUT", "/apis/coordination.k8s.io/v1/namespaces/berg/leases/berg-controller"),
  ];
  expect(writePoints(writes).map(formatPoint)).toEqual([
    "patch challengeinstances 1",
    "update challengeinstances/status 1",
    "create services 1",
    "create services 2",
    "update challengeinstances/status 2",
  ]);
});

test("only what the server has done counts, by object", () => {
  const name = "web";
  const writes = [
    write("POST", services, { name, code: 201 }),
    write("POST", services, { name, code: 409 }),
    write("POST", services, { name }),
    write("DELETE", `${services}/web`, { code: 200 }),
    write("DELETE", `${services}/web`, { code: 200 }),
    write("PUT", `${services}/web`, { code: 200 }),
    write("POST", "/api/v1/namespaces/berg/events", { name, code: 201 }),
  ];
  expect(applied(writes)).toEqual({ "create services web": 1, "delete services web": 2 });
});

test("a trace tells when, what, and what came of it", () => {
  const writes = [
    write("POST", services, { name: "web", code: 201 }),
    write("DELETE", `${services}/web`, { at: 1250.4 }),
  ];
  expect(trace(writes).split("\n")).toEqual([
    "      0 ms  create services challenge-a/web  201",
    "    250 ms  delete services challenge-a/web  no answer",
  ]);
});
