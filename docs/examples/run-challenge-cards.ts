import { createClient, createMetrics, loadConnection, Manager, runProcess, systemClock } from "@berg/kube";
import pino from "pino";
import { addCardController } from "./challenge-cards.ts";

const log = pino();
await runProcess(log, async (stop) => {
  const connection = await loadConnection({ clock: systemClock });
  const metrics = await createMetrics();
  const client = createClient({ connection, component: "example", log, metrics: metrics.requests });
  const lease = { client: createClient({ connection, component: "example-lease" }), namespace: connection.namespace };
  const { HEALTH_PORT = "8081", METRICS_PORT = "8080" } = process.env;
  const health = { healthPort: Number(HEALTH_PORT), metricsPort: Number(METRICS_PORT) };
  const manager = new Manager({ component: "example", client, log, metrics, election: lease, health });
  addCardController(manager);
  await manager.run(stop);
});
