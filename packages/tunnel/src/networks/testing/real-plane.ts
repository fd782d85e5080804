import { startControlPlane } from "@berg/test";
import type { StartPlane } from "./control-planes.ts";

export const real: StartPlane = () => startControlPlane({ scheduler: false });
