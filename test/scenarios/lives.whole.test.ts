import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeLives } from "./lives.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeLives(startEmbeddedWorld));
