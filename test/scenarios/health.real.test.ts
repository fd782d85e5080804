import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeHealth } from "./health.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeHealth(startWorld));
