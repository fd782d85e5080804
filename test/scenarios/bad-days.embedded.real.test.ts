import { describe } from "vitest";
import { describeBadDays } from "./bad-days.ts";
import { startEmbeddedWorld } from "./embedded-world.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeBadDays(startEmbeddedWorld));
