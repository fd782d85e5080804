import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeSettings } from "./settings.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeSettings(startWorld));
