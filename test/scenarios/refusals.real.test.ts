import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeRefusals } from "./refusals.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeRefusals(startWorld));
