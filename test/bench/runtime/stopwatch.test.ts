import { expect, test } from "vitest";
import { firstVersion } from "./objects.ts";
import { type Seen, Stopwatch } from "./stopwatch.ts";

function watched(...versions: number[]): Seen[] {
  const reports: Seen[] = [];
  const stopwatch = new Stopwatch(3, (seen) => reports.push(seen));
  for (const version of versions) stopwatch.saw({ metadata: { resourceVersion: String(version) } });
  return reports;
}

test("reports at the last change, and not before", () => {
  expect(watched(firstVersion, firstVersion + 1)).toEqual([]);
  expect(watched(firstVersion, firstVersion + 1, firstVersion + 2)).toMatchObject([{ events: 3 }]);
});

test("a contender that skips changes is found out by its count", () => {
  expect(watched(firstVersion, firstVersion + 2)).toMatchObject([{ events: 2 }]);
});
