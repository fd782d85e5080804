import { expect, test } from "vitest";
import { readSpaces, type Space, shortageOf } from "./disk-space.ts";

const gib = 1024 ** 3;
const space = (free: number, total: number, freeInodes = 1e6, totalInodes = 1e6): Space => ({
  ...{ directory: "/data", freeBytes: free * gib, totalBytes: total * gib, freeInodes, totalInodes },
});

test.each([
  { what: "a large disk with little room, but enough", space: space(3, 1000), now: false, later: false },
  { what: "a large disk at the threshold", space: space(2, 1000), now: false, later: true },
  { what: "a large disk that is full", space: space(1, 1000), now: true, later: true },
  { what: "a small disk that is a tenth free", space: space(0.9, 8), now: false, later: true },
  { what: "a small disk that is full", space: space(0.7, 8), now: true, later: true },
  { what: "no room for files", space: space(500, 1000, 40_000), now: true, later: true },
  { what: "little room for files", space: space(500, 1000, 60_000), now: false, later: true },
  { what: "no fixed number of files", space: space(500, 1000, 0, 0), now: false, later: false },
])("$what: short $now, and $later where it was before", ({ space, now, later }) => {
  expect([shortageOf([space], false) !== undefined, shortageOf([space], true) !== undefined]).toEqual([now, later]);
});

test("says where what is missing, of any of the disks", () => {
  expect(shortageOf([space(500, 1000), space(1, 1000)], false)).toBe("less than 2048 MiB are free in /data");
  expect(shortageOf([space(1, 1000)], true)).toBe("less than 3072 MiB are free in /data");
  expect(shortageOf([space(500, 1000, 1)], false)).toBe("/data has room for less than 50000 more files");
});

test("a directory that is out of sight is left out", async () => {
  expect((await readSpaces(["/", "/nonexistent"])).map(({ directory }) => directory)).toEqual(["/"]);
});
