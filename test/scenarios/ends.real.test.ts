import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { describeEnds } from "./ends.ts";
import { startWorld } from "./world.ts";

describe.skipIf(await missingControlPlane())("the ends of instances, on a real control plane", () => {
  describeEnds(startWorld);
});
