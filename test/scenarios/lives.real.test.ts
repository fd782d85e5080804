import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeLives } from "./lives.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeLives(startWorld));
