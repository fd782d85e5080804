import type { Clock } from "@berg/kube";
import { beforeEach, describe, expect, test } from "vitest";
import { Progress } from "./progress.ts";
import { Kept } from "./testing/command-line.ts";

let now: number;
let due: (() => void) | undefined;
const clock: Clock = {
  now: () => now,
  monotonic: () => now,
  setTimer(_, fire) {
    due = fire;
    return { cancel: () => (due = undefined) };
  },
};
beforeEach(() => {
  now = 0;
  due = undefined;
});

describe("into a pipe", () => {
  test("a line for each stage, and none for the same again", () => {
    const stderr = new Kept();
    {
      using progress = new Progress({ stderr, env: {}, clock });
      progress.stage("Asked for.");
      now = 2500;
      progress.stage("Starting.");
      progress.stage("Starting.");
      progress.note("Trying again.");
    }
    expect(stderr.text).toBe("[0 s]    Asked for.\n[2 s]    Starting.\n[2 s]    Trying again.\n");
    expect(due).toBeUndefined();
  });
});

describe("on a terminal", () => {
  const terminal = () => Object.assign(new Kept(), { isTTY: true, columns: 30 });
  const erase = "\r\u001b[2K";

  test("one line, written over, that counts the seconds and is gone at the end", () => {
    const stderr = terminal();
    {
      using progress = new Progress({ stderr, env: { NO_COLOR: "1" }, clock });
      progress.stage("Asked for.");
      now = 1000;
      due?.();
      progress.note("Look!");
    }
    expect(stderr.text).toBe(
      `${erase}[0 s]    Asked for.${erase}[1 s]    Asked for.${erase}[1 s]    Look!\n${erase}[1 s]    Asked for.${erase}`,
    );
    expect(due).toBeUndefined();
  });

  test("a long one is cut, since a line that wraps could not be written over", () => {
    const stderr = terminal();
    new Progress({ stderr, env: { NO_COLOR: "1" }, clock }).stage("x".repeat(100));
    expect(stderr.text).toBe(`${erase}[0 s]    ${"x".repeat(19)}…`);
  });

  test("one that cannot go back gets lines", () => {
    const stderr = terminal();
    new Progress({ stderr, env: { TERM: "dumb" }, clock }).stage("Asked for.");
    expect(stderr.text).toBe("[0 s]    Asked for.\n");
  });
});
