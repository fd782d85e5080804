import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeHealing } from "./healing.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeHealing(startEmbeddedWorld));
