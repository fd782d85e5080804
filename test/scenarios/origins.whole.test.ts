import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeOrigins } from "./origins.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeOrigins(startEmbeddedWorld));
