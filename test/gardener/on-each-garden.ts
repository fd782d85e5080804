/** A test of a garden is written once and put to both: to stand-ins, and to Gardener's own server where it was built. */
import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import type { GardenOptions } from "./garden.ts";
import { missingGardener } from "./server/binary.ts";

const missing = await missingControlPlane();

export function onEachGarden(define: (gardener: NonNullable<GardenOptions["gardener"]>) => void): void {
  describe.skipIf(missing)("with stand-ins", () => define("stand-ins"));
  describe.skipIf(missing ?? missingGardener())("with Gardener's own server", () => define("real"));
}
