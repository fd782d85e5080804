import { describe } from "vitest";
import { startWorld } from "../../../../test/scenarios/world.ts";
import { describeCommands } from "./testing/commands.ts";

describe("on a real control plane", () => describeCommands(startWorld));
