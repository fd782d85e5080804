import { describe } from "vitest";
import { startEmbeddedWorld } from "./embedded-world.ts";
import { describeRecords } from "./records.ts";

describe("on the embedded control plane", { timeout: 120_000 }, () => describeRecords(startEmbeddedWorld));
