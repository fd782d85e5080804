import { describe, expect, test } from "vitest";
import { isUid, pairDirectory } from "./surroundings.ts";

const uid = "0f0e0d0c-1111-4222-8333-444455556666";

describe("the directory of a pair", () => {
  test("is named by the UID of its object", () => {
    expect(pairDirectory({ directory: "/data" }, uid)).toBe(`/data/pairs/${uid}`);
  });

  test.each(["", ".", "..", "../..", "u1", "/etc", `${uid}/..`, `../${uid}`, `${uid}\n`, uid.toUpperCase()])(
    "is made of nothing else: %j",
    (text) => {
      expect(isUid(text)).toBe(false);
      expect(() => pairDirectory({ directory: "/data" }, text)).toThrow(`${JSON.stringify(text)} is no UID`);
    },
  );
});
