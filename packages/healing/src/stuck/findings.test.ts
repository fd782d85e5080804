import { describe, expect, test } from "vitest";
import { containing, makePod, readyStatus } from "../testing/objects.ts";
import { Findings } from "./findings.ts";

const waits = (reason: string) => makePod(containing({ state: { waiting: { reason } } }));

describe("findings", () => {
  test("a trouble is seen first when it begins; two reasons of one trouble are one", () => {
    const findings = new Findings();
    expect(findings.firstSeen("a", waits("ContainerCreating"), 1)).toBe(1);
    expect(findings.firstSeen("a", waits("ErrImagePull"), 5)).toBe(5);
    expect(findings.firstSeen("a", waits("ImagePullBackOff"), 9)).toBe(5);
    expect(findings.firstSeen("b", waits("ImagePullBackOff"), 9)).toBe(9);
    expect(findings.firstSeen("a", makePod(readyStatus()), 10)).toBe(10);
    expect(findings.firstSeen("a", waits("ErrImagePull"), 12)).toBe(12);
  });

  test("are news for the instance where they differ, and go with the pod", () => {
    const findings = new Findings();
    const pod = makePod(readyStatus());
    expect(findings.put("i", "a", pod, { is: "waiting" })).toBe(true);
    expect(findings.put("i", "a", pod, { is: "waiting" })).toBe(false);
    expect(findings.put("i", "a", pod, { is: "well" })).toBe(true);
    expect(findings.put("i", "b", pod, { is: "well" })).toBe(true);
    expect(findings.of("i").map(({ podUid }) => podUid)).toEqual(["a", "b"]);
    expect([findings.forget("a"), findings.forget("a")]).toEqual(["i", undefined]);
    expect(findings.of("i").map(({ podUid }) => podUid)).toEqual(["b"]);
    expect(findings.firstSeen("a", pod, 99)).toBe(99);
  });
});
