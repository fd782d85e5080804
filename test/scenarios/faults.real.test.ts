import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeFaults } from "./faults.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("faults at every write, on a real control plane", () => {
  describeFaults(startWorld);
});
