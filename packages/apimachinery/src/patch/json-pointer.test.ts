import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPointer, parsePointer } from "./json-pointer.ts";
import { PatchError } from "./patch-error.ts";

describe("JSON pointer", () => {
  test.each([
    { pointer: "", wantSteps: [] },
    { pointer: "/", wantSteps: [""] },
    { pointer: "/spec/containers/0", wantSteps: ["spec", "containers", "0"] },
    { pointer: "/metadata/annotations/berg.ch~1owner", wantSteps: ["metadata", "annotations", "berg.ch/owner"] },
    { pointer: "/a~0b", wantSteps: ["a~b"] },
    { pointer: "/~01", wantSteps: ["~1"] },
    { pointer: "/a//b", wantSteps: ["a", "", "b"] },
  ])("$pointer is $wantSteps", ({ pointer, wantSteps }) => {
    expect(parsePointer(pointer)).toEqual(wantSteps);
    expect(formatPointer(wantSteps)).toBe(pointer);
  });

  test.each(["spec", "#/spec", "/a~", "/a~2b"])("%s is none", (pointer) => {
    expect(() => parsePointer(pointer)).toThrow(PatchError);
  });

  test("any steps survive being written and read", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (steps) => {
        expect(parsePointer(formatPointer(steps))).toEqual(steps);
      }),
    );
  });
});
