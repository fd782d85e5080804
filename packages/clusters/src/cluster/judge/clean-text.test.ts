import { expect, test } from "vitest";
import { cleanText } from "./clean-text.ts";

test.each([
  ["AuthFailure: key AKIAIOSFODNN7EXAMPLE is unknown", "AuthFailure: key … is unknown"],
  ["request id: 0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d failed", "request id: … failed"],
  ["account 123456789012 has no quota", "account … has no quota"],
  ["client_secret=s3cr3t! was refused", "client_secret=… was refused"],
  ['{"password":"hunter2"}', '{"password":"…"}'],
  ["token: eyJhbGciOi.eyJzdWIi.c2ln", "token: …"],
  ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "…"],
  ["a\n  b", "a b"],
  [
    "task waiting-until-infrastructure-is-ready failed in eu-central-1",
    "task waiting-until-infrastructure-is-ready failed in eu-central-1",
  ],
])("%s", (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test("what is long is cut", () => {
  expect(cleanText("no ".repeat(1000))).toHaveLength(512);
});
