import { formatTime, parseDuration, parseTime } from "@berg/apimachinery";
import { type ChallengeInstanceStatus, countedFrom, statusLimits } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { restarted, started } from "./expiry.ts";
import { renewed } from "./renewal.ts";
import { withChangedTimeout } from "./timeout-change.ts";

const settings = { timeout: parseDuration("2h"), maxRenewals: 3, warning: parseDuration("5m") };
const forEver = { ...settings, timeout: undefined };
const noon = parseTime("2026-10-01T12:00:00Z");
const atOne = noon + 3_600_000;

const begun = (timeout?: string, chosen: typeof settings | typeof forEver = settings): ChallengeInstanceStatus =>
  started({ startedAt: formatTime(noon), phase: "Running" }, timeout ? { timeout } : {}, {}, chosen, noon);
const changed = (status: ChallengeInstanceStatus, timeout?: string, until?: string, chosen = settings) =>
  withChangedTimeout(status, { ...(timeout !== undefined && { timeout }), ...(until && { until }) }, {}, chosen, atOne);
const reasonsOf = ({ history = [] }: ChallengeInstanceStatus) => history.map(({ reason }) => reason);

describe("a changed timeout", () => {
  test.each<[string, string | undefined, string | undefined, string | undefined, string | undefined]>([
    ["counts from the start", "2h", "3h", undefined, "2026-10-01T15:00:00Z"],
    ["may shorten the life", "2h", "90m", undefined, "2026-10-01T13:30:00Z"],
    ["may end it at once", "2h", "30m", undefined, "2026-10-01T12:30:00Z"],
    ["counts where none was set", undefined, "3h", undefined, "2026-10-01T15:00:00Z"],
    [
      "that is removed leaves it to the Challenge and the organiser",
      "3h",
      undefined,
      undefined,
      "2026-10-01T14:00:00Z",
    ],
    ["that is emptied leaves it to them too", "3h", "", undefined, "2026-10-01T14:00:00Z"],
    ["does not reach past until", "2h", "9h", "2026-10-01T16:00:00Z", "2026-10-01T16:00:00Z"],
  ])("%s", (_, before, timeout, until, expiresAt) => {
    const status = changed(begun(before), timeout, until);
    expect(status).toMatchObject({
      expiresAt,
      history: [{ reason: "Started" }, { reason: "TimeoutChanged", expiresAt }],
    });
    const isLimited = until !== undefined;
    expect(status?.history?.at(-1)?.message).toBe(
      `The timeout was changed: the instance ends at ${expiresAt}${isLimited ? ", the latest time that until allows" : ""}`,
    );
    expect(status?.timeout).toBe(timeout || undefined);
    // It is answered: nothing is left to do.
    expect(changed(status as ChallengeInstanceStatus, timeout, until)).toBeUndefined();
  });

  test("ends an instance that would live for ever, and may free one that would not", () => {
    expect(changed(begun(undefined, forEver), "3h")?.expiresAt).toBe("2026-10-01T15:00:00Z");
    const free = withChangedTimeout(begun("2h"), {}, {}, forEver, atOne);
    expect(free).not.toHaveProperty("expiresAt");
    expect(free?.history?.at(-1)?.message).toBe("The timeout was changed: the instance does not end by itself");
  });

  test("counts from the admission of one that had to wait, and from the last renewal", () => {
    const admitted = restarted(begun("2h"), { timeout: "2h" }, {}, settings, noon + 600_000);
    expect(changed(admitted, "3h")?.expiresAt).toBe("2026-10-01T15:10:00Z");
    const again = renewed(begun("2h"), { timeout: "2h", renewals: 1 }, {}, settings, noon + 1_200_000);
    expect(changed(again as ChallengeInstanceStatus, "3h")?.expiresAt).toBe("2026-10-01T15:20:00Z");
  });

  test("is no change of the Challenge or of the settings", () => {
    const status = begun();
    expect(withChangedTimeout(status, {}, { timeout: "9h" }, settings, atOne)).toBeUndefined();
    expect(withChangedTimeout(status, {}, {}, forEver, atOne)).toBeUndefined();
  });

  test.each(["0s", "999999h"])("to %s, which cannot be used, leaves the expiry, and is answered once", (timeout) => {
    const status = changed(begun("2h"), timeout);
    expect(status).toMatchObject({ expiresAt: "2026-10-01T14:00:00Z", timeout });
    const message = status?.history?.at(-1)?.message ?? "";
    expect(message).toContain(
      `The timeout was not changed: cannot use spec.timeout of the ChallengeInstance: "${timeout}"`,
    );
    expect(message).toContain("; the instance ends at 2026-10-01T14:00:00Z");
    expect(changed(status as ChallengeInstanceStatus, timeout)).toBeUndefined();
  });

  test("is not seen in an instance of an earlier version, whose status has no timeout", () => {
    // Its start was a fraction of a second after what its history says.
    const { timeout: _, ...status } = started(
      { startedAt: formatTime(noon) },
      { timeout: "3h" },
      {},
      settings,
      noon + 400,
    );
    expect(changed(status, "3h")).toEqual({ ...status, timeout: "3h" });
    expect(changed(status, "4h")?.expiresAt).toBe("2026-10-01T16:00:00Z");
  });

  test("warns anew of an end that has moved away", () => {
    expect(changed({ ...begun("1h"), expiresSoon: true }, "3h")).toMatchObject({ expiresSoon: false });
  });

  test("never loses what it is counted from, however often it changes", () => {
    let status = renewed(begun("2h"), { timeout: "2h", renewals: 1 }, {}, settings, atOne) as ChallengeInstanceStatus;
    for (let count = 1; count <= 2 * statusLimits.history; count++) status = changed(status, `${2 + count}h`) ?? status;
    expect(status.history).toHaveLength(statusLimits.history);
    expect(reasonsOf(status).slice(0, 2)).toEqual(["Renewed", "TimeoutChanged"]);
    expect(countedFrom(status)).toBe(atOne);
  });

  test("is not looked at before the instance was", () => {
    expect(changed({}, "3h")).toBeUndefined();
    expect(countedFrom({})).toBeUndefined();
  });
});
