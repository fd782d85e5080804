import type { Stored } from "@berg/apimachinery";
import { createMetrics } from "@berg/kube";
import { type ChallengeInstance, foreignConditions } from "@berg/resources";
import { expect, test } from "vitest";
import { metricNames, stuckReasons } from "../vocabulary.ts";
import { stuckMetrics } from "./metrics.ts";

test("what is stuck is counted anew at each scrape, by the process that leads alone", async () => {
  const metrics = await createMetrics();
  const reason = stuckReasons.containerCrashes;
  const stuck = { status: { conditions: [{ type: foreignConditions.stuck, status: "True", reason }] } };
  stuckMetrics(metrics, { list: () => [stuck as Stored<ChallengeInstance>] });
  const counted = async () =>
    (await metrics.render()).body
      .split("\n")
      .filter((line) => line.startsWith(metricNames.stuck) && !line.endsWith(" 0"));
  const want = [`${metricNames.stuck}{reason="${reason}"} 1`];
  expect(await counted()).toEqual(want);
  metrics.election("berg-listener").leading(false);
  expect(await counted()).toEqual([]);
  metrics.election("berg-listener").leading(true);
  expect(await counted()).toEqual(want);
});
