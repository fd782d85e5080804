import { formatTime, parseDuration, parseTime } from "@berg/apimachinery";
import { type ChallengeInstanceStatus, statusLimits } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExpired } from "./due.ts";
import { started } from "./expiry.ts";
import { type RenewableInstance, renewed } from "./renewal.ts";

const settings = { timeout: parseDuration("2h"), maxRenewals: 3, warning: parseDuration("5m") };
const forEver = { ...settings, timeout: undefined };
const noon = parseTime("2026-10-01T12:00:00Z");
const later = noon + 3_600_000;

const begun = (chosen = settings as typeof settings | typeof forEver): ChallengeInstanceStatus =>
  started({ startedAt: formatTime(noon), phase: "Running" }, {}, {}, chosen, noon);
const asked = (renewals: number, more: Partial<RenewableInstance> = {}): RenewableInstance => ({ renewals, ...more });

const lastOf = (status: ChallengeInstanceStatus | undefined) => status?.history?.at(-1) ?? { reason: "", message: "" };

describe("a renewal", () => {
  test("counts the time anew, from now", () => {
    const before = { ...begun(), expiresSoon: true };
    const answer = renewed(before, asked(1), {}, settings, later);
    const message = "Renewed (1 of 3): the instance ends at 2026-10-01T15:00:00Z";
    expect(answer).toEqual({
      ...before,
      expiresAt: "2026-10-01T15:00:00Z",
      expiresSoon: false,
      renewals: 1,
      history: [
        ...(before.history ?? []),
        { at: "2026-10-01T13:00:00Z", expiresAt: "2026-10-01T15:00:00Z", reason: "Renewed", message },
      ],
    });
  });

  test("goes by what the Challenge says now", () => {
    expect(renewed(begun(), asked(1), { timeout: "5h" }, settings, later)?.expiresAt).toBe("2026-10-01T18:00:00Z");
    expect(renewed(begun(), asked(1), { until: "2026-10-01T14:30:00Z" }, settings, later)).toMatchObject({
      expiresAt: "2026-10-01T14:30:00Z",
      history: [{ reason: "Started" }, { reason: "Renewed" }],
    });
  });

  test("frees an instance whose limits are gone", () => {
    const answer = renewed(begun(), asked(1), {}, forEver, later);
    expect(lastOf(answer).message).toBe("Renewed (1 of 3): the instance does not end by itself");
    expect(answer).not.toHaveProperty("expiresAt");
  });

  test.each([
    [
      "the renewals are used up",
      4,
      {},
      settings,
      { renewals: 3 },
      "all 3 renewals are used up; the instance ends at 2026-10-01T14",
    ],
    [
      "there are none",
      1,
      {},
      { ...settings, maxRenewals: 0 },
      {},
      "instances cannot be renewed here; the instance ends",
    ],
    ["until is reached", 1, { until: "2026-10-01T14:00:00Z" }, settings, {}, "may not live past 2026-10-01T14:00:00Z"],
    [
      "until has moved before the end",
      1,
      { until: "2026-10-01T13:30:00Z" },
      settings,
      {},
      "may not live past 2026-10-01T13:30:00Z",
    ],
    [
      "the Challenge's timeout has become shorter",
      1,
      { timeout: "1m" },
      settings,
      {},
      "it would add no time; the instance ends at 2026-10-01T14",
    ],
    [
      "the Challenge's timeout makes no sense",
      1,
      { timeout: "0s" },
      settings,
      {},
      'cannot use spec.timeout of the Challenge: "0s"',
    ],
  ])("is refused where %s, and the owner reads why", (_, renewals, challenge, chosen, known, want) => {
    const before = { ...begun(), ...known };
    const answer = renewed(before, asked(renewals), challenge, chosen, later);
    const { reason, message } = lastOf(answer);
    expect(reason).toBe("RenewalRefused");
    expect(message).toMatch(/^Not renewed: /);
    expect(message).toContain(want);
    expect(answer?.renewals).toBe(renewals);
    const until = (challenge as { until?: string }).until;
    expect(answer?.expiresAt).toBe(until ?? before.expiresAt);
  });

  test("is refused where the instance does not end by itself", () => {
    const answer = renewed(begun(forEver), asked(1), { timeout: "1h" }, forEver, later);
    expect(lastOf(answer).message).toBe("Not renewed: it would add no time; the instance does not end by itself");
    expect(answer).not.toHaveProperty("expiresAt");
  });

  test("of several at once is one extension, and each of them counts", () => {
    const answer = renewed(begun(), asked(2), {}, settings, later);
    expect(answer).toMatchObject({ expiresAt: "2026-10-01T15:00:00Z", renewals: 2 });
    const many = renewed(begun(), asked(9), {}, settings, later);
    expect(lastOf(many).message).toContain("Renewed (3 of 3)");
    expect(lastOf(renewed(many ?? {}, asked(10), {}, settings, later + 60_000)).reason).toBe("RenewalRefused");
  });

  test.each([
    ["has expired", {}, {}, parseTime("2026-10-01T14:00:00Z")],
    ["was asked to end", {}, { terminationReason: "UserRequest" as const }, later],
    ["is going", { phase: "Terminating" as const }, {}, later],
    ["has ended", { phase: "Terminated" as const, terminationReason: "Timeout" as const }, {}, later],
    ["has not begun", { startedAt: undefined }, {}, later],
  ])("does not bring back an instance that %s", (_, known, wish, now) => {
    const status = { ...begun(), ...known } as ChallengeInstanceStatus;
    expect(renewed(status, asked(1, wish), {}, settings, now)).toBeUndefined();
  });

  test("refused again and again leaves the history readable", () => {
    let status: ChallengeInstanceStatus = { ...begun(), renewals: 3 };
    for (let ask = 4; ask < 100; ask++) status = renewed(status, asked(ask), {}, settings, later) ?? status;
    expect(status.history?.map(({ reason }) => reason)).toEqual(["Started", "RenewalRefused"]);
    expect(status.renewals).toBe(99);
  });
});

test("the history keeps the latest entries that fit", () => {
  const chosen = { ...settings, maxRenewals: 100 };
  let status = begun(chosen);
  for (let ask = 1; ask <= 100; ask++) status = renewed(status, asked(ask), {}, chosen, noon + ask * 60_000) ?? {};
  expect(status.history?.length).toBe(statusLimits.history);
  expect(status.history?.at(-1)?.message).toContain("Renewed (100 of 100)");
});

test("whatever is asked, and whenever: never past until, never less time, answered once, in a bounded history", () => {
  const moments = fc.integer({ min: 0, max: 4 * 3600_000 });
  const steps = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 90 * 60_000 }),
      more: fc.integer({ min: 0, max: 2 }),
      timeout: fc.constantFrom("", "1s", "30m", "2h", "5h", "0s", "87600h"),
      until: fc.option(moments, { nil: undefined }),
    }),
    { maxLength: 60 },
  );
  const chosen = { ...settings, maxRenewals: 50 };
  fc.assert(
    fc.property(steps, (all) => {
      let [status, renewals, now] = [begun(chosen), 0, noon];
      for (const { after, more, timeout, until } of all) {
        [now, renewals] = [now + after, renewals + more];
        const latest = until === undefined ? undefined : now + until;
        const challenge = { timeout, ...(latest !== undefined && { until: formatTime(latest) }) };
        const before = status;
        const answer = renewed(before, asked(renewals), challenge, chosen, now);
        if (isExpired(before, now) || renewals === before.renewals) expect(answer).toBeUndefined();
        if (!answer) continue;
        status = answer;
        expect(renewed(status, asked(renewals), challenge, chosen, now)).toBeUndefined();
        expect(status.renewals).toBe(renewals);
        const end = parseTime(status.expiresAt ?? "2999-01-01T00:00:00Z");
        if (latest !== undefined) expect(end).toBeLessThanOrEqual(latest);
        const had = parseTime(before.expiresAt ?? "2999-01-01T00:00:00Z");
        expect(end).toBeGreaterThanOrEqual(Math.min(had, parseTime(challenge.until ?? "2999-01-01T00:00:00Z")));
        if (lastOf(status).reason === "Renewed") expect(end).toBeGreaterThan(Math.min(had, latest ?? had));
        expect(status.history?.length).toBeLessThanOrEqual(statusLimits.history);
        expect(status.history?.at(-1)?.expiresAt).toBe(status.expiresAt);
      }
    }),
  );
});
