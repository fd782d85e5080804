import { describe } from "vitest";
import { describeDrift } from "./drift.ts";
import { startEmbeddedWorld } from "./embedded-world.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeDrift(startEmbeddedWorld));
