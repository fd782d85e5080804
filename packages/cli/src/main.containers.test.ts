/** As the first process of a container, for which the kernel discards every signal without a handler. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoppedStarts, spread } from "./testing/stopped-starts.ts";

const asFirstProcess = ["unshare", "--pid", "--fork", "--kill-child"];

let starts: StoppedStarts;
beforeAll(async () => {
  starts = await StoppedStarts.create();
});
afterAll(() => starts?.[Symbol.asyncDispose]());

test("a controller with PID 1 that gets SIGTERM while it starts exits with 0 and holds no lease", {
  timeout: 600_000,
}, async () => {
  const { loads } = await starts.run({ text: '"leading"' });
  const wrong: unknown[] = [];
  for (const load of spread(8, loads)) {
    const { exit, holder, stdout } = await starts.run({ load }, asFirstProcess);
    if (exit[0] !== 0 || holder !== "") wrong.push({ load, exit, holder, stdout });
  }
  expect(wrong).toEqual([]);
});
