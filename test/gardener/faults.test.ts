import { expect, test } from "vitest";
import { requestTarget } from "../faults/request-path.ts";
import { faultFor, noFaults } from "./faults.ts";

const shoots = "/apis/core.gardener.cloud/v1beta1/namespaces/garden-berg/shoots";
const asked = (method: string, path: string) => ({ ...requestTarget(method, path), path });
const always = () => 0;

test("nothing happens unless told", () => {
  expect(faultFor(noFaults(), asked("POST", shoots), always)).toBeUndefined();
});

test("kinds that are not Gardener's have no faults", () => {
  const faults = { outage: true, forbiddenPercent: 100, tooMany: 9, broken: 9, delayMs: 0 };
  for (const path of ["/api/v1/namespaces", "/apis/apps/v1/deployments", "/version"]) {
    expect(faultFor(faults, asked("POST", path), always)).toBeUndefined();
  }
  expect(faults).toMatchObject({ tooMany: 9, broken: 9 });
});

test("counted faults are used up, one after the other", () => {
  const faults = { ...noFaults(), tooMany: 1, broken: 1 };
  const codes = [1, 2, 3].map(() => faultFor(faults, asked("GET", shoots), always)?.status);
  expect(codes).toEqual([429, 500, undefined]);
});

test("a part of the writes is refused, and no read", () => {
  const faults = { ...noFaults(), forbiddenPercent: 30 };
  expect(faultFor(faults, asked("POST", shoots), () => 0.29)?.status).toBe(403);
  expect(faultFor(faults, asked("POST", shoots), () => 0.31)).toBeUndefined();
  expect(faultFor(faults, asked("GET", `${shoots}?watch=true`), always)).toBeUndefined();
});
