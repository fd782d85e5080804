import { expect, test } from "vitest";
import { masked } from "./play.ts";

test.each([
  ["web-7d9c5b8f6d-x2x4z  0/1  Pending  0  3m20s", "web-HASH-ID  0/1  Pending  0  AGE"],
  ["NAME          AGE\nweb   5s   ", "NAME  AGE\nweb  AGE"],
  ["  a:\n    b: 1", "  a:\n    b: 1"],
  ['  resourceVersion: "123"\n  uid: 0b1d3c1e-1c51-4d2c-9a55-1c6f6c1c8c55', "  resourceVersion: VERSION\n  uid: UID"],
  ["80:31234/TCP on 10.96.3.4", "80:NODEPORT/TCP on IP"],
  ["--- /tmp/LIVE-123456/v1  2026-11-15 15:42:03.123 +0000", "--- /tmp/LIVE/v1  TIME"],
])("what differs from run to run is masked: %j", (text, want) => {
  expect(masked(text)).toBe(want);
});
