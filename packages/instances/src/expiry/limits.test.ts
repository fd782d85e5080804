import { formatTime, parseDuration, parseTime } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectiveTimeout, effectiveUntil, longestTimeout } from "./limits.ts";

const settings = { timeout: parseDuration("2h"), maxRenewals: 3, warning: 0n };

describe("the timeout", () => {
  test.each([
    ["the instance's own", { timeout: "30m" }, { timeout: "1h" }, "30m"],
    ["the Challenge's where the instance has none", {}, { timeout: "1h" }, "1h"],
    ["the Challenge's where the instance's is empty", { timeout: "" }, { timeout: "1h" }, "1h"],
    ["the organiser's where nobody has one", {}, {}, "2h"],
    ["the organiser's where both are empty", { timeout: "" }, { timeout: "" }, "2h"],
    ["the organiser's where the Challenge is gone", {}, undefined, "2h"],
    ["the instance's own, however the Challenge's is wrong", { timeout: "1s" }, { timeout: "0s" }, "1s"],
    ["the longest that there is", { timeout: "87600h" }, {}, "87600h"],
  ])("is %s", (_, instance, challenge, want) => {
    expect(effectiveTimeout(instance, challenge, settings)).toEqual({ timeout: parseDuration(want) });
  });

  test("is none where the organiser has none", () => {
    expect(effectiveTimeout({}, {}, { ...settings, timeout: undefined })).toEqual({ timeout: undefined });
  });

  test.each([
    [{ timeout: "0s" }, {}, 'spec.timeout of the ChallengeInstance: "0s" leaves no time at all'],
    [{ timeout: "0h0m0s" }, {}, 'spec.timeout of the ChallengeInstance: "0h0m0s" leaves no time at all'],
    [{ timeout: "" }, { timeout: "0m" }, 'spec.timeout of the Challenge: "0m" leaves no time at all'],
    [{ timeout: "87600h1s" }, {}, 'spec.timeout of the ChallengeInstance: "87600h1s" is longer than ten years'],
    [{}, { timeout: "99999999h" }, 'spec.timeout of the Challenge: "99999999h" is longer than ten years'],
    [{}, { timeout: `${"9".repeat(31)}h` }, "is longer than ten years"],
  ])("is refused in plain words: %o %o", (instance, challenge, want) => {
    const { problem } = effectiveTimeout(instance, challenge, settings);
    expect(problem?.reason).toBe("InvalidTimeout");
    expect(problem?.message).toContain(want);
    expect(problem?.message).toMatch(/^cannot use .*; write a time such as 30m or 2h, or leave it out$/);
  });

  test("is, for any text that the schema admits, one that can be written as a time, or a problem", () => {
    const digits = fc.stringMatching(/^[0-9]{0,10}$/);
    fc.assert(
      fc.property(digits, digits, digits, (hours, minutes, seconds) => {
        const text = `${hours && `${hours}h`}${minutes && `${minutes}m`}${seconds && `${seconds}s`}`;
        const { timeout, problem } = effectiveTimeout({ timeout: text }, undefined, settings);
        if (problem) return;
        expect(timeout).toBeGreaterThan(0n);
        expect(timeout).toBeLessThanOrEqual(longestTimeout);
      }),
    );
    expect(() => formatTime(parseTime("2999-12-31T23:59:59Z") + Number(longestTimeout / 1_000_000n))).not.toThrow();
  });
});

test.each([
  [undefined, undefined, undefined],
  ["2026-10-01T18:00:00Z", undefined, "2026-10-01T18:00:00Z"],
  [undefined, "2026-10-01T18:00:00Z", "2026-10-01T18:00:00Z"],
  ["2026-10-01T18:00:00Z", "2026-10-01T19:30:00+02:00", "2026-10-01T17:30:00Z"],
  ["2026-10-01T17:00:00Z", "2026-10-01T19:30:00+02:00", "2026-10-01T17:00:00Z"],
])("until is the earlier of the instance's (%s) and the Challenge's (%s)", (instance, challenge, want) => {
  const until = effectiveUntil(asking(instance), asking(challenge));
  expect(until).toBe(want && parseTime(want));
  expect(effectiveUntil(asking(instance), undefined)).toBe(instance && parseTime(instance));
});

function asking(until: string | undefined) {
  return until === undefined ? {} : { until };
}
