import { describe, expect, test } from "vitest";
import { janitorSettingsReference, readInterval, readJanitorSettings } from "./janitor.ts";

test("gives the controller two seconds, and ghosts one minute", () => {
  expect(readJanitorSettings({})).toEqual({ graceMs: 2000, ghostGraceMs: 60_000 });
});

test("reads both, and takes an empty variable for a missing one", () => {
  const env = { JANITOR_GRACE: "0s", GHOST_GRACE: " 1m30s " };
  expect(readJanitorSettings(env)).toEqual({ graceMs: 0, ghostGraceMs: 90_000 });
  expect(readJanitorSettings({ JANITOR_GRACE: "" })).toEqual(readJanitorSettings({}));
});

test("names every mistake at once", () => {
  expect(() => readJanitorSettings({ JANITOR_GRACE: "two", GHOST_GRACE: "-1s" })).toThrow(
    'cannot read JANITOR_GRACE: "two" is not a time such as 90s, 30m or 1h30m\n' +
      'cannot read GHOST_GRACE: "-1s" is not a time such as 90s, 30m or 1h30m',
  );
});

test("what the reference shows as defaults are the defaults", () => {
  const shown = Object.fromEntries(janitorSettingsReference().map(({ name, default: value }) => [name, value]));
  expect(readJanitorSettings(shown)).toEqual(readJanitorSettings({}));
});

describe("the interval", () => {
  test.each([
    ["30s", 30_000],
    ["1s", 1000],
    ["24h", 86_400_000],
  ])("%s", (text, ms) => expect(readInterval(text)).toBe(ms));

  test.each(["", "30", "0s", "999ms", "25h", "-30s", "often"])("%j is refused, with what is right", (text) => {
    expect(() => readInterval(text)).toThrow("is not a time from 1s to 24h, such as 30s");
  });
});
