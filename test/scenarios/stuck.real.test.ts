import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeStuck } from "./stuck.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeStuck(startWorld));
