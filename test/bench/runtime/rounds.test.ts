import { expect, test } from "vitest";
import { rounds } from "./rounds.ts";

test("contenders take turns, and the median of each number counts", async () => {
  const turns: string[] = [];
  const contender = (name: string, values: number[]) => async () => {
    turns.push(name);
    const ms = values.shift() as number;
    return { ms, double: ms * 2 };
  };
  const result = await rounds(3, { ours: contender("ours", [5, 900, 7]), theirs: contender("theirs", [1, 2, 3]) });
  expect(turns).toEqual(["ours", "theirs", "ours", "theirs", "ours", "theirs"]);
  expect(result).toEqual({ ours: { ms: 7, double: 14 }, theirs: { ms: 2, double: 4 } });
});

test("a contender that fails ends it", async () => {
  await expect(rounds(2, { ours: () => Promise.reject(new Error("no server")) })).rejects.toThrow("no server");
});
