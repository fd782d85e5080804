import fc from "fast-check";
import { expect, test } from "vitest";
import { Lines, startedRuns } from "./logs.ts";

function told(pieces: readonly string[]): string[] {
  const lines: string[] = [];
  const reader = new Lines((line) => lines.push(line));
  for (const piece of pieces) reader.add(piece);
  reader.end();
  return lines;
}

test("lines are the same however they are cut", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[ab\n]{0,8}$/)), (pieces) => {
      expect(told(pieces)).toEqual(told([pieces.join("")]));
    }),
  );
});

test.each([
  { text: "one\ntwo", want: ["one", "two"] },
  { text: "windows\r\n", want: ["windows"] },
  { text: "\u001b[2J\u001b[31mred\n", want: [" [2J [31mred"] },
  { text: "x".repeat(20_000), want: ["x".repeat(16_384), "x".repeat(3_616)] },
])("a log of $text.length characters is fit for a terminal", ({ text, want }) => {
  expect(told([text])).toEqual(want);
});

test("a container has a log once it has begun, and another one each time it is started again", () => {
  const runs = (state: object, restartCount: number) =>
    startedRuns({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web-1", uid: "u" },
      status: {
        containerStatuses: [{ name: "web", state, restartCount, ready: false, image: "", imageID: "" }],
      },
    }).map(({ key }) => key);
  expect(runs({ waiting: { reason: "ContainerCreating" } }, 0)).toEqual([]);
  expect(runs({ running: {} }, 0)).toEqual(["u/web/0"]);
  expect(runs({ terminated: { exitCode: 1 } }, 0)).toEqual(["u/web/0"]);
  expect(runs({ running: {} }, 1)).toEqual(["u/web/1"]);
});
