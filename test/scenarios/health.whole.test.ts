import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeHealth } from "./health.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeHealth(startEmbeddedWorld));
