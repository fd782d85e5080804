import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeRefusals } from "./refusals.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeRefusals(startEmbeddedWorld));
