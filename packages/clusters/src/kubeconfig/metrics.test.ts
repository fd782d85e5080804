import { createMetrics } from "@berg/kube";
import { expect, test } from "vitest";
import { kubeconfigMetrics } from "./metrics.ts";
import { issuedStatus, makeRequest } from "./testing/make-seen.ts";

test("requests are counted anew at each scrape, by the process that leads alone", async () => {
  const metrics = await createMetrics();
  const requests = [makeRequest({ status: issuedStatus() }), makeRequest()];
  kubeconfigMetrics(metrics, () => requests);
  const counted = async () =>
    (await metrics.render()).body.split("\n").filter((line) => /^berg_kubeconfigrequests.* [1-9]/.test(line));
  const both = ['berg_kubeconfigrequests{phase="Pending"} 1', 'berg_kubeconfigrequests{phase="Issued"} 1'];
  expect((await counted()).sort()).toEqual(both.sort());
  metrics.election("berg-clusters").leading(false);
  expect(await counted()).toEqual([]);
  metrics.election("berg-clusters").leading(true);
  requests.pop();
  expect(await counted()).toEqual(['berg_kubeconfigrequests{phase="Issued"} 1']);
});
