import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { largest, trimLog, trimLogs } from "./trim-logs.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "berg-logs-"));
  file = join(directory, "server.stderr");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a log that has grown large is put aside, and whoever has it open goes on at its beginning", async () => {
  const writer = openSync(file, "a");
  writeSync(writer, `first\n${"x".repeat(largest)}\n`);
  await trimLog(file);
  writeSync(writer, "second\n");
  closeSync(writer);
  expect(readFileSync(file, "utf8")).toBe("second\n");
  expect(readFileSync(`${file}.1`, "utf8")).toMatch(/^first\n/);
});

test("one that has not stays as it is", async () => {
  appendFileSync(file, "x".repeat(largest));
  await trimLog(file);
  expect(statSync(file).size).toBe(largest);
  expect(readdirSync(directory)).toEqual(["server.stderr"]);
});

test("each is looked at every minute; one that is not there holds up no other", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  appendFileSync(file, "x".repeat(largest + 1));
  const files = () => [join(directory, "gone"), file];
  const trimming = trimLogs({ files, clock, log: silentLogger }, stop.signal);
  await clock.advance(59_000);
  expect(statSync(file).size).toBe(largest + 1);
  await clock.advance(1_000);
  await expect.poll(() => statSync(file).size).toBe(0);
  stop.abort();
  await trimming;
});
