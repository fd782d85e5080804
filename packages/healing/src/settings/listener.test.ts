import { describe, expect, test } from "vitest";
import { listenerSettingsReference, readListenerSettings } from "./listener.ts";

describe("settings of the listener", () => {
  test("have defaults", () => {
    expect(readListenerSettings({ STUCK_POLICY: " " })).toEqual({
      workers: 20,
      policy: "report",
      restarts: 3,
      youngMs: 15_000,
      errorMs: 30_000,
      crashes: 2,
      creatingMs: 300_000,
      notReadyMs: 180_000,
      unschedulableMs: 300_000,
      ghostGraceMs: 60_000,
    });
  });

  test("are what the environment says", () => {
    const env = { CHALLENGE_WATCHER_WORKER_COUNT: "1", STUCK_POLICY: "terminate", STUCK_CREATING_AFTER: "1m30s" };
    expect(readListenerSettings(env)).toMatchObject({ workers: 1, policy: "terminate", creatingMs: 90_000 });
  });

  test("name all mistakes at once", () => {
    const env = { CHALLENGE_WATCHER_WORKER_COUNT: "many", STUCK_RESTARTS: "-1", STUCK_IGNORE_YOUNGER: "999999h" };
    expect(() => readListenerSettings(env)).toThrow(
      [
        'cannot read CHALLENGE_WATCHER_WORKER_COUNT: "many" is not a whole number from 1 to 1000',
        'cannot read STUCK_RESTARTS: "-1" is not a whole number from 0 to 1000',
        'cannot read STUCK_IGNORE_YOUNGER: "999999h" is longer than ten years',
      ].join("\n"),
    );
    expect(() => readListenerSettings({ STUCK_ERROR_AFTER: "-5s" })).toThrow("is not a time such as 90s, 30m or 1h30m");
  });

  test("are all described", () => {
    for (const { name, default: byDefault, description } of listenerSettingsReference()) {
      expect([name, byDefault]).toEqual([
        expect.stringMatching(/^(STUCK|CHALLENGE|GHOST)_[A-Z_]+$/),
        expect.any(String),
      ]);
      expect(description).toMatch(/^[A-Z].*\.$/s);
    }
  });
});
