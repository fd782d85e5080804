import { describe } from "vitest";
import { embedded } from "../networks/testing/control-planes.ts";
import { describeChangingTunnels } from "./testing/suites/changing-tunnels.ts";

describe("on the embedded control plane", () => describeChangingTunnels(embedded));
