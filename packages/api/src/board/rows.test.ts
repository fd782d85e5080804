import { competitionDefaults } from "@berg/resources";
import { expect, test } from "vitest";
import { boardSettings } from "./rows.ts";

const [start, end] = ["2026-10-01T18:00:00Z", "2026-10-01T20:00:00Z"];

test.each([
  ["before the freeze begins, it is given already", { start, end }, Date.parse(start) - 1, Date.parse(start)],
  ["a freeze lasts until just before its end", { start, end }, Date.parse(end) - 1, Date.parse(start)],
  ["a freeze is over at its end", { start, end }, Date.parse(end), undefined],
  ["a freeze without an end lasts", { start }, Date.parse(end), Date.parse(start)],
])("%s", (_, freeze, now, want) => {
  expect(boardSettings({ ...competitionDefaults(), freeze }, { epoch: 1, challenges: [], now }).freeze).toBe(want);
});
