import { describe } from "vitest";
import { describeDefects } from "./defects.ts";
import { startEmbeddedWorld } from "./embedded-world.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeDefects(startEmbeddedWorld));
