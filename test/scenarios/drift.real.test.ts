import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeDrift } from "./drift.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("what others do to instances, on a real control plane", () => {
  describeDrift(startWorld);
});
