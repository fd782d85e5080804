import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeOrigins } from "./origins.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeOrigins(startWorld));
