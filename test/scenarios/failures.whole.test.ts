import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeFailures } from "./failures.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeFailures(startEmbeddedWorld));
