import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeRecords } from "./records.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeRecords(startWorld));
