import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "../networks/testing/real-plane.ts";
import { describeChangingTunnels } from "./testing/suites/changing-tunnels.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeChangingTunnels(real));
