import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "../networks/testing/real-plane.ts";
import { describeKilled } from "./testing/suites/killed.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeKilled(real));
