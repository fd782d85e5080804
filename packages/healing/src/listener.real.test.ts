import { describe } from "vitest";
import { startWorld } from "../../../test/scenarios/world.ts";
import { describeRecords } from "./testing/records-suite.ts";
import { describeStuck } from "./testing/stuck-suite.ts";

describe("on a real control plane", () => {
  describe("stuck", () => describeStuck(startWorld));
  describe("records", () => describeRecords(startWorld));
});
