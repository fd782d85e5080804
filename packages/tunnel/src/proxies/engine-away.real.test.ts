import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "../networks/testing/real-plane.ts";
import { describeEngineAway } from "./testing/suites/engine-away.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeEngineAway(real));
