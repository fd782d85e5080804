import { expect, test } from "vitest";
import { slowest } from "./slowest.ts";

test("shows the longest waits for a Deployment, in the order in which they were asked for", () => {
  const waits = Array.from({ length: 20 }, (_, secondsIn) => ({
    secondsIn,
    toAnswer: 5,
    toDeployment: secondsIn === 3 ? 900 : 10 * secondsIn,
    toRunning: 7,
  }));
  const lines = slowest(waits);
  expect(lines).toHaveLength(8);
  expect(lines[0]).toBe(
    "among the slowest, asked for after 3.0 s: answered in 5 ms, Deployment after 900 ms, Running 7 ms after Ready",
  );
  expect(lines[1]).toContain("after 13.0 s");
  expect(lines.at(-1)).toContain("after 19.0 s");
});
