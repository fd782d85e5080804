/** Simulated pods in a process of their own, so that their work delays nobody's clock. */
import { connectionWith } from "../../control-plane/credentials.ts";
import { startSimulator } from "../../simulator/simulator.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Server } from "./connect.ts";

await startSimulator({ connection: connectionWith(settingsOf<Server>()), nodes: 2 });
report({});
