import { durationFromMs, formatTime, parseDuration, parseTime } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueAfter, dueAt, isExpired, isExpiringSoon } from "./due.ts";
import { expiryAt, limited, restarted, started } from "./expiry.ts";

const settings = { timeout: parseDuration("2h"), maxRenewals: 3, warning: parseDuration("5m") };
const noon = parseTime("2026-10-01T12:00:00Z");
const forEver = { ...settings, timeout: undefined };

describe("an instance ends", () => {
  const hour = parseDuration("1h");
  test.each([
    ["never, without timeout and until", undefined, undefined, undefined],
    ["after its timeout", hour, undefined, noon + 3_600_000],
    ["at until", undefined, noon + 60_000, noon + 60_000],
    ["at until, where that is earlier", hour, noon + 60_000, noon + 60_000],
    ["after its timeout, where that is earlier", hour, noon + 7_200_000, noon + 3_600_000],
    ["at once, where until has passed", hour, noon - 60_000, noon - 60_000],
  ])("%s", (_, timeout, until, want) => {
    expect(expiryAt(noon, timeout, until)).toBe(want);
  });

  test("never before its time, never past until, and at a time that is written as it is", () => {
    const ms = fc.integer({ min: 0, max: parseTime("2500-01-01T00:00:00Z") });
    const timeouts = fc.option(fc.integer({ min: 1, max: 10 * 365 * 86_400_000 }), { nil: undefined });
    fc.assert(
      fc.property(ms, timeouts, fc.option(ms, { nil: undefined }), (now, timeout, until) => {
        const end = expiryAt(now, timeout === undefined ? undefined : durationFromMs(timeout), until);
        if (end === undefined) {
          expect([timeout, until]).toEqual([undefined, undefined]);
          return;
        }
        expect(parseTime(formatTime(end))).toBe(end);
        if (until !== undefined) expect(end).toBeLessThanOrEqual(until);
        const full = timeout === undefined ? Number.POSITIVE_INFINITY : now + timeout;
        expect(end).toBeGreaterThanOrEqual(Math.min(full, (until ?? full) - 999));
        expect(end).toBeLessThan(full + 1000);
      }),
    );
  });
});

describe("an instance that starts", () => {
  test("gets its expiry and the first entry of its history", () => {
    const message = "The instance ends at 2026-10-01T13:00:01Z";
    expect(started({ phase: "Pending" }, {}, { timeout: "1h" }, settings, noon + 1)).toEqual({
      phase: "Pending",
      expiresAt: "2026-10-01T13:00:01Z",
      expiresSoon: false,
      renewals: 0,
      history: [{ at: "2026-10-01T12:00:00Z", expiresAt: "2026-10-01T13:00:01Z", reason: "Started", message }],
    });
  });

  test("has no expiry where nothing limits it", () => {
    const status = started({}, {}, {}, forEver, noon);
    expect(status).not.toHaveProperty("expiresAt");
    expect(status.history?.[0]).not.toHaveProperty("expiresAt");
    expect(status.history?.[0]?.message).toBe("The instance does not end by itself");
    expect([isExpired(status, noon * 2), isExpiringSoon(status, settings, noon * 2), dueAt(status, settings)]).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  test("with a timeout that makes no sense still ends after the organiser's", () => {
    const status = started({}, { timeout: "0s" }, {}, settings, noon);
    expect(status.expiresAt).toBe("2026-10-01T14:00:00Z");
  });

  test("after a wait has its whole time", () => {
    const before = started({ startedAt: formatTime(noon) }, {}, {}, settings, noon);
    const status = restarted({ ...before, renewals: 2 }, {}, {}, settings, noon + 3_600_000);
    expect(status).toMatchObject({ startedAt: formatTime(noon), expiresAt: "2026-10-01T15:00:00Z", renewals: 2 });
    expect(status.history?.map(({ reason }) => reason)).toEqual(["Started", "Admitted"]);
  });

  test("without an expiry any more loses the one that it had", () => {
    const before = started({}, {}, {}, settings, noon);
    expect(restarted(before, {}, {}, forEver, noon)).not.toHaveProperty("expiresAt");
  });
});

describe("an until that moves while the instance lives", () => {
  const living = { startedAt: formatTime(noon), ...started({}, {}, {}, settings, noon) };
  const until = (text: string) => limited(living, {}, { until: text }, settings, noon);

  test("cuts its time, once", () => {
    const cut = until("2026-10-01T13:00:00.9Z");
    expect(cut?.expiresAt).toBe("2026-10-01T13:00:00Z");
    expect(cut?.history?.at(-1)).toMatchObject({ reason: "Limited", expiresAt: "2026-10-01T13:00:00Z" });
    expect(limited(cut ?? {}, {}, { until: "2026-10-01T13:00:00.9Z" }, settings, noon)).toBeUndefined();
  });

  test("cuts the time of one that did not end by itself", () => {
    const endless = { startedAt: formatTime(noon), ...started({}, {}, {}, forEver, noon) };
    expect(limited(endless, { until: "2026-10-02T00:00:00Z" }, {}, forEver, noon)?.expiresAt).toBe(
      "2026-10-02T00:00:00Z",
    );
  });

  test("gives no time, and does nothing before the start", () => {
    expect(until("2026-10-01T14:00:00Z")).toBeUndefined();
    expect(until("2027-01-01T00:00:00Z")).toBeUndefined();
    expect(limited({}, { until: "2026-10-01T13:00:00Z" }, {}, settings, noon)).toBeUndefined();
  });
});

describe("the time that is left", () => {
  const ending = { expiresAt: "2026-10-01T12:00:00Z" };
  test.each([
    ["more than the warning", noon - 300_001, false, false],
    ["as long as the warning", noon - 300_000, true, false],
    ["a moment", noon - 1, true, false],
    ["none", noon, true, true],
    ["less than none", noon + 1, true, true],
  ])("is %s", (_, now, soon, expired) => {
    expect([isExpiringSoon(ending, settings, now), isExpired(ending, now)]).toEqual([soon, expired]);
  });

  test("is looked at when the owner is to be warned, and then at the end", () => {
    expect(dueAt(ending, settings)).toBe(noon - 300_000);
    expect(dueAt({ ...ending, expiresSoon: true }, settings)).toBe(noon);
    expect(dueAt(ending, { ...settings, warning: 0n })).toBe(noon);
    expect(isExpiringSoon(ending, { ...settings, warning: 0n }, noon)).toBe(false);
  });

  test("is looked at again when the next of the two comes, where the reconcile at the last one failed", () => {
    const times = [noon - 400_000, noon - 300_000, noon - 1, noon];
    expect(times.map((now) => dueAfter(now, ending, settings))).toEqual([noon - 300_000, noon, noon, undefined]);
    expect(dueAfter(noon - 400_000, ending, { ...settings, warning: 0n })).toBe(noon);
    expect(dueAfter(noon, {}, settings)).toBeUndefined();
  });

  test("is, when something is due, never such that nothing is to be done: no loop at the end", () => {
    const times = fc.integer({ min: 1, max: 10 * 365 * 86_400_000 });
    fc.assert(
      fc.property(times, times, fc.integer({ min: 0, max: 999 }), (timeout, warning, ms) => {
        const chosen = { timeout: durationFromMs(timeout), maxRenewals: 0, warning: durationFromMs(warning) };
        const status = started({}, {}, {}, chosen, noon + ms);
        const due = dueAt(status, chosen) ?? Number.NaN;
        if (status.expiresSoon) {
          expect(isExpired(status, due) && !isExpired(status, due - 1)).toBe(true);
          return;
        }
        expect(isExpiringSoon(status, chosen, due) && !isExpiringSoon(status, chosen, due - 1)).toBe(true);
        expect(due).toBeGreaterThan(noon + ms);
      }),
    );
  });
});
