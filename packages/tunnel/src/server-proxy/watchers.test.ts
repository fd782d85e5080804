import { FakeClock } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { Watchers } from "./watchers.ts";

test("whoever comes is told how things are, and then what happens", async () => {
  const presence = new DeadManSwitch(new FakeClock(), 60_000, () => {});
  const watchers = new Watchers(presence, () => [
    { case: "serverUnreachable", value: { tunnelId: 1, name: "db", message: "refused" } },
    { case: "serverReached", value: { tunnelId: 2 } },
  ]);
  watchers.setState({ case: "connected", value: {} });
  const stop = new AbortController();
  const told: unknown[] = [];
  const watching = (async () => {
    for await (const { what } of watchers.watch(stop.signal)) told.push(what.case);
  })();
  await expect.poll(() => told).toEqual(["connected", "serverUnreachable", "serverReached"]);
  watchers.tell({ case: "serverReached", value: { tunnelId: 1 } });
  await expect.poll(() => told.length).toBe(4);
  stop.abort();
  await watching;
  presence[Symbol.dispose]();
});
