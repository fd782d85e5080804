/** Simulated pods in a process of their own, so that their work delays nobody's clock. */

import { startSimulator } from "@berg/local-node";
import { connectionWith } from "../../control-plane/credentials.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Server } from "./connect.ts";

await startSimulator({ connection: connectionWith(settingsOf<Server>()), nodes: 2 });
report({});
