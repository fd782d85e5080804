import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { jsonLog } from "./log.ts";

test("a log line is one JSON object, with the fields of all its parents", () => {
  const lines: string[] = [];
  const log = jsonLog((line) => lines.push(line), new FakeClock(0))
    .child({ pair: "a" })
    .child({ tunnel: "b\nc" });
  log.debug({}, "one");
  log.error({ error: "bad" }, "two");
  expect(lines.map((line) => line.endsWith("\n") && JSON.parse(line))).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "debug", pair: "a", tunnel: "b\nc", message: "one" },
    { time: "1970-01-01T00:00:00.000Z", level: "error", pair: "a", tunnel: "b\nc", error: "bad", message: "two" },
  ]);
  expect(lines[0]?.split("\n")).toHaveLength(2);
});
