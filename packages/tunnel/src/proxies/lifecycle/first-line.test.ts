import { FakeClock } from "@berg/kube/testing";
import type { LogChunk } from "@berg/local-engine";
import { expect, test } from "vitest";
import { parseGreeting, readGreeting } from "./first-line.ts";

const greeting = { certificate: "pem", controlPort: 1, dataPort: 2, managementAddress: "10.203.0.2" };
const line = `${JSON.stringify({ ...greeting, version: "1" })}\n`;
const { signal } = new AbortController();

type Piece = [LogChunk["stream"], string];
const engineThatSays = (pieces: Piece[], more: { hangs?: boolean } = {}) => ({
  async *containerLogs(_id: string, _options: unknown, ending?: AbortSignal): AsyncGenerator<LogChunk> {
    for (const [stream, text] of pieces) yield { stream, bytes: Buffer.from(text) };
    if (more.hangs) await new Promise((_, reject) => ending?.addEventListener("abort", () => reject(ending.reason)));
  },
});
const read = (pieces: Piece[], clock = new FakeClock()) =>
  readGreeting({ engine: engineThatSays(pieces), clock }, "c1", signal);

test.each([
  { name: "in one piece", pieces: [["stdout", line]] },
  { name: "in many", pieces: [...line].map((text) => ["stdout", text]) },
  {
    name: "between other things",
    pieces: [
      ["stderr", "{}\n"],
      ["stdout", line.slice(0, 9)],
      ["stderr", "x\n"],
      ["stdout", `${line.slice(9)}more`],
    ],
  },
])("the first line is read $name", async ({ pieces }) => {
  expect(await read(pieces as Piece[])).toEqual(greeting);
});

test.each([
  { name: "ends", pieces: [["stderr", "out of luck\n"]], want: /it has ended; its last words: out of luck/ },
  { name: "says something else", pieces: [["stdout", "hello\n"]], want: /not a JSON object/ },
  { name: "says too much", pieces: [["stdout", "x".repeat(70_000)]], want: /has no end/ },
])("a client proxy that $name is an error with its words", async ({ pieces, want }) => {
  await expect(read(pieces as Piece[])).rejects.toThrow(want);
});

test("one that says nothing is not waited for without end", async () => {
  const clock = new FakeClock();
  const reading = readGreeting({ engine: engineThatSays([], { hangs: true }), clock }, "c1", signal);
  const failure = expect(reading).rejects.toThrow(/it said nothing for 60 s/);
  await clock.advance(60_000);
  await failure;
  expect(clock.timers).toBe(0);
});

test("a stop is a stop", async () => {
  const stop = new AbortController();
  const reading = readGreeting(
    { engine: engineThatSays([], { hangs: true }), clock: new FakeClock() },
    "c1",
    stop.signal,
  );
  stop.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});

test.each([
  { line: "null" },
  { line: "{" },
  { line: JSON.stringify({ ...greeting, certificate: 1 }) },
  { line: JSON.stringify({ ...greeting, controlPort: "1" }) },
  { line: JSON.stringify({ ...greeting, dataPort: 0 }) },
  { line: JSON.stringify({ ...greeting, managementAddress: undefined }) },
])("$line is no greeting", ({ line: text }) => {
  expect(() => parseGreeting(text)).toThrow(/its first line/);
});
