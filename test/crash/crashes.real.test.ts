import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControllerProcess } from "../scenarios/controller-process.ts";
import { startWorld } from "../scenarios/world.ts";
import { oneOfEach, placeOf } from "./choose.ts";
import { describeCrashes } from "./crashes.ts";
import { janitorInProcess, janitorLives, listenerInProcess, listenerLives } from "./healers.ts";
import { lives } from "./lives.ts";
import type { Kill } from "./run.ts";
import { controllerInProcess, type Start } from "./stage.ts";

// `npm run test:crash` tries every write of every life, before and after it. Otherwise each write that some life has is
// met once: the third status of a life, say, in one of the lives that have so many.
const isWhole = process.env.BERG_CRASHES === "all";
const choose = (kills: readonly Kill[]) => (isWhole ? kills : oneOfEach(kills, placeOf));

describe.skipIf(await missingControlPlane())("on a real control plane, at every write", () => {
  // Its tests mostly wait, so they run concurrently. Not those of the others: on a busy machine the listener combines
  // writes, and fewer of the chosen ones come again.
  describe("the controller", { concurrent: true }, () => {
    // One process at a time: they share a lease, which the controllers in this process do not use.
    const asProcess: Start = (world, only) => startControllerProcess(world, { only });
    describeCrashes(startWorld, { lives, start: controllerInProcess, asProcess, choose, atOnce: 10 });
  });

  describe("the listener", () => {
    describeCrashes(startWorld, { lives: listenerLives, start: listenerInProcess, choose, atOnce: 8 });
  });

  describe("the janitor", () => {
    describeCrashes(startWorld, { lives: janitorLives, start: janitorInProcess, choose, atOnce: 1 });
  });
});
