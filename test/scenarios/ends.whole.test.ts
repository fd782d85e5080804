import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeEnds } from "./ends.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeEnds(startEmbeddedWorld));
