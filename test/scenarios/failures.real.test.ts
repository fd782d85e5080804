import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeFailures } from "./failures.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeFailures(startWorld));
