/** Simulated pods and a gateway that accepts every route, in a process of their own: their work delays nobody's clock. */
import { createClient, unlimited } from "@berg/kube";
import { startSimulator } from "@berg/local-node";
import { connectionWith } from "../../control-plane/credentials.ts";
import { TestGateway } from "../../scenarios/gateway.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Server } from "./connect.ts";

const connection = connectionWith(settingsOf<Server>());
await startSimulator({ connection, nodes: 2 });
new TestGateway(createClient({ connection, component: "gateway", rate: unlimited }));
report({});
