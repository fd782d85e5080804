import { createClient, createMetrics, loadConnection, Manager, runProcess, systemClock } from "@berg/kube";
import pino from "pino";
import { addCardController } from "./challenge-cards.ts";

const log = pino();
const connection = await loadConnection({ clock: systemClock });
const metrics = await createMetrics();
const client = createClient({ connection, component: "example", log, metrics: metrics.requests });
const election = { client: createClient({ connection, component: "example-lease" }), namespace: connection.namespace };
const manager = new Manager({ component: "example", client, log, metrics, election, health: {} });
addCardController(manager);
await runProcess(log, (stop) => manager.run(stop));
