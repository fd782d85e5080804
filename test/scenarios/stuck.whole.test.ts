import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeStuck } from "./stuck.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeStuck(startEmbeddedWorld));
