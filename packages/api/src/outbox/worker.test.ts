import { createMetrics } from "@berg/kube";
import { expect, test } from "vitest";
import { createApiMetrics } from "../metrics.ts";
import { describeOutbox } from "../testing/outbox-suite.ts";
import { TestSmtpServer } from "../testing/smtp-server.ts";
import { TestApi } from "../testing/test-api.ts";
import { createOutbox } from "./create-outbox.ts";

describeOutbox("the outbox on SQLite", async () => ":memory:");

test("metrics count deliveries by their result", async () => {
  await using smtp = await TestSmtpServer.start();
  await using api = await TestApi.start();
  const metrics = await createMetrics();
  const apiMetrics = createApiMetrics(metrics);
  await using outbox = createOutbox(api.context, smtp.settings, apiMetrics);
  const sampled = {
    sockets: () => 0,
    isDatabaseUp: () => true,
    isCompetitionMissing: () => false,
    providers: () => [],
    poolUsage: () => undefined,
  };
  apiMetrics.sample({ ...sampled, outboxPending: () => outbox.pending });
  await api.signedIn("Ada", { email: "ada@example.com" });
  for (const email of ["ada@example.com", "unknown@example.com"]) await outbox.enqueue(api.db, "lost-links", { email });
  await outbox.run();
  smtp.refuse = { mail: 450 };
  await outbox.enqueue(api.db, "lost-links", { email: "ada@example.com" });
  await outbox.run();
  const text = await metrics.registry.metrics();
  expect(text).toContain("berg_api_outbox_pending 1");
  for (const [result, count] of Object.entries({ sent: 1, skipped: 1, retried: 1, failed: 0 })) {
    expect(text).toContain(`berg_api_outbox_sent_total{kind="lost-links",result="${result}"} ${count}`);
  }
});
