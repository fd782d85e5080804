import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeBadDays } from "./bad-days.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("bad days, on a real control plane", () => {
  describeBadDays(startWorld);
});
