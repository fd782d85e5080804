import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "../networks/testing/real-plane.ts";
import { describeStates } from "./testing/suites/states.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeStates(real));
