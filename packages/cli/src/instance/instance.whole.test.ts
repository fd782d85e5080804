import { describe } from "vitest";
import { startEmbeddedWorld } from "../../../../test/scenarios/embedded-world.ts";
import { describeCommands } from "./testing/commands.ts";

describe("on the embedded control plane", () => describeCommands(startEmbeddedWorld));
