import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeDefects } from "./defects.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeDefects(startWorld));
