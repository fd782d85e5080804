import { createMetrics } from "@berg/kube";
import { expect, test } from "vitest";
import { subscriptionMetrics } from "./metrics.ts";
import { makeAccount, makeRequest } from "./testing/accounts.ts";

test("what is left is counted anew at each scrape", async () => {
  const metrics = await createMetrics();
  const accounts = [
    makeAccount("free"),
    makeAccount("claimed", { labels: { tenantName: "t1" } }),
    makeAccount("dirty", { labels: { tenantName: "t1", dirty: "true" } }),
    makeAccount("internal", { labels: { internal: "true" } }),
    makeAccount("shared", { labels: { shared: "true" } }),
    makeAccount("gcp", { labels: { hyperscalerType: "gcp", tenantName: "t1" } }),
  ];
  const requests = [makeRequest("one", { status: { phase: "Bound" } }), makeRequest("two")];
  subscriptionMetrics(metrics, { list: () => accounts }, { list: () => requests });
  const lines = async () => (await metrics.render()).body.split("\n");
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'available_credentials_bindings{hyperscaler_type="aws"} 1',
      'available_credentials_bindings{hyperscaler_type="gcp"} 0',
      'credentials_bindings{hyperscaler_type="aws",state="free"} 1',
      'credentials_bindings{hyperscaler_type="aws",state="claimed"} 1',
      'credentials_bindings{hyperscaler_type="aws",state="dirty"} 1',
      'credentials_bindings{hyperscaler_type="aws",state="internal"} 1',
      'credentials_bindings{hyperscaler_type="aws",state="shared"} 1',
      'subscription_requests{phase="Bound"} 1',
      'subscription_requests{phase="Pending"} 1',
      'subscription_requests{phase="Exhausted"} 0',
    ]),
  );
  accounts.shift();
  expect(await lines()).toContain('available_credentials_bindings{hyperscaler_type="aws"} 0');
  metrics.election("berg-clusters").leading(false);
  expect((await lines()).filter((line) => /^(available_)?(credentials|subscription)_/.test(line))).toEqual([]);
  metrics.election("berg-clusters").leading(true);
  expect(await lines()).toContain('subscription_requests{phase="Bound"} 1');
  accounts.length = 0;
  expect((await lines()).some((line) => line.startsWith("available_credentials_bindings{"))).toBe(false);
});
