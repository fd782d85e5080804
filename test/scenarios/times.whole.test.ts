import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeTimes } from "./times.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeTimes(startEmbeddedWorld));
