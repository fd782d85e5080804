import { describe, expect, test } from "vitest";
import { parseCommandLine, UsageError } from "./command-line.ts";

const known = ["api", "runtime"];

describe("the command line", () => {
  test.each([
    { args: [], want: { names: ["api", "runtime"], json: false, quick: false } },
    { args: ["runtime"], want: { names: ["runtime"], json: false, quick: false } },
    { args: ["--json", "runtime", "--quick"], want: { names: ["runtime"], json: true, quick: true } },
  ])("$args", ({ args, want }) => {
    expect(parseCommandLine(args, known)).toEqual(want);
  });

  test.each([
    { args: ["runtim"], want: 'unknown bench "runtim"; there is api, runtime' },
    { args: ["constructor"], want: 'unknown bench "constructor"' },
    { args: ["runtime", "--fast"], want: 'unknown flag "--fast"; there are --json and --quick' },
    { args: ["-h"], want: 'unknown flag "-h"' },
  ])("$args is refused with what there is", ({ args, want }) => {
    expect(() => parseCommandLine(args, known)).toThrow(UsageError);
    expect(() => parseCommandLine(args, known)).toThrow(want);
  });
});
