import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StopAt, StoppedStarts, spread } from "./testing/stopped-starts.ts";

const points = 40;

describe("a controller that gets SIGTERM while it starts", () => {
  let starts: StoppedStarts;
  beforeAll(async () => {
    starts = await StoppedStarts.create();
  });
  afterAll(() => starts?.[Symbol.asyncDispose]());

  test(`exits with 0 and holds no lease, at ${points} points`, { timeout: 900_000 }, async () => {
    const whole = await starts.run({ text: '"leading"' });
    expect(whole).toMatchObject({ exit: [0, null], holder: "" });
    const lines = whole.stdout.split("\n").findIndex((line) => line.includes('"leading"')) + 1;
    const waiting: StopAt[] = [
      ...Array.from({ length: lines }, (_, i) => ({ line: i + 1 })),
      ...spread(points - lines, whole.loads).map((load) => ({ load })),
    ];
    const wrong: unknown[] = [];
    const work = async () => {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        const { exit, holder, stdout } = await starts.run(at);
        if (exit[0] !== 0 || holder !== "") wrong.push({ at, exit, holder, stdout });
      }
    };
    await Promise.all([work(), work()]);
    expect(wrong).toEqual([]);
  });
});

test("a short command that is interrupted while it starts does not claim to have succeeded", async () => {
  const hook = join(import.meta.dirname, "testing/signal-at.ts");
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, ["--import", hook, main, "lint", "missing.yaml"], {
    env: { SIGNAL_AT: "3" },
    stdio: "ignore",
  });
  expect(await once(child, "exit")).toEqual([143, null]);
});
