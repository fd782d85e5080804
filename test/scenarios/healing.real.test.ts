import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeHealing } from "./healing.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeHealing(startWorld));
