import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ToldFailures } from "./told-failures.ts";

test("a failure is news for its tunnel, in its words, and again after a while", async () => {
  const clock = new FakeClock();
  const told = new ToldFailures(clock);
  const isNews = (tunnelId: number, message: string) => told.isNews({ tunnelId, streamId: 1n, name: "a", message });
  expect([isNews(1, "refused"), isNews(1, "refused"), isNews(2, "refused")]).toEqual([true, false, true]);
  expect([isNews(1, "no such name"), isNews(1, "refused")]).toEqual([true, true]);
  await clock.advance(9_999);
  expect(isNews(1, "refused")).toBe(false);
  await clock.advance(1);
  expect([isNews(1, "refused"), isNews(1, "refused")]).toEqual([true, false]);
  told.forget(1);
  expect(isNews(1, "refused")).toBe(true);
});
