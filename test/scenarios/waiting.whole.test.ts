import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeWaiting } from "./waiting.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeWaiting(startEmbeddedWorld));
