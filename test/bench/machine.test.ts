import { expect, test } from "vitest";
import { processorTimes } from "./machine.ts";

test("time waiting for a disk is idle, stolen time is not, and what guests had counts once", () => {
  const stat = "cpu  100 20 30 400 50 0 6 7 80 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  expect(processorTimes(stat)).toEqual({ all: 613, idle: 450, stolen: 7 });
});
