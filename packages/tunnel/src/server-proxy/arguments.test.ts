import { describe, expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

describe("the arguments of a server proxy", () => {
  test("are a socket, and what has defaults", () => {
    const want = { socket: "/run/a.sock", name: "", unwatchedMs: 60_000 };
    expect(readArguments(["--socket", "/run/a.sock"])).toEqual(want);
    const all = ["--socket", "/run/a.sock", "--name", "a", "--unwatched-seconds", "0.5"];
    expect(readArguments(all)).toEqual({ socket: "/run/a.sock", name: "a", unwatchedMs: 500 });
  });

  test.each([
    { args: [], want: '--socket is "": give an absolute path' },
    { args: ["--socket", "a.sock"], want: '--socket is "a.sock": give an absolute path' },
    { args: ["--socket", "/a", "--unwatched-seconds", "soon"], want: '"soon", which is no number of seconds' },
    { args: ["--socket", "/a", "--colour"], want: "--colour" },
  ])("refuses $args: $want", ({ args, want }) => {
    expect(() => readArguments(args)).toThrow(want);
  });
});
