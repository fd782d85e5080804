import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeFaults } from "./faults.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeFaults(startEmbeddedWorld));
