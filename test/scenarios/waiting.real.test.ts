import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeWaiting } from "./waiting.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeWaiting(startWorld));
