import { describe } from "vitest";
import { startEmbeddedWorld } from "../scenarios/embedded-world.ts";
import { kindOf, oneOfEach } from "./choose.ts";
import { describeCrashes } from "./crashes.ts";
import { janitorInProcess, janitorLives, listenerInProcess, listenerLives } from "./healers.ts";
import { lives } from "./lives.ts";
import type { Kill } from "./run.ts";
import { controllerInProcess } from "./stage.ts";

// Each kind of write, in one of the lives that have it. The rest is `npm run test:crash`'s.
const choose = (kills: readonly Kill[]) => oneOfEach(kills, kindOf);

describe("on the embedded control plane, at a write of each kind: the controller", () => {
  describeCrashes(startEmbeddedWorld, { lives, start: controllerInProcess, choose, atOnce: 8 });
});

describe("on the embedded control plane, at a write of each kind: the listener", () => {
  describeCrashes(startEmbeddedWorld, { lives: listenerLives, start: listenerInProcess, choose, atOnce: 8 });
});

describe("on the embedded control plane, at a write of each kind: the janitor", () => {
  describeCrashes(startEmbeddedWorld, { lives: janitorLives, start: janitorInProcess, choose, atOnce: 1 });
});
