import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeTimes } from "./times.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("the time of instances, on a real control plane", () => {
  describeTimes(startWorld);
});
