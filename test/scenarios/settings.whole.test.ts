import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeSettings } from "./settings.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeSettings(startEmbeddedWorld));
