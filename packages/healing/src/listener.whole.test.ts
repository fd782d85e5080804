import { describe } from "vitest";
import { startEmbeddedWorld } from "../../../test/scenarios/embedded-world.ts";
import { describeRecords } from "./testing/records-suite.ts";
import { describeStuck } from "./testing/stuck-suite.ts";

describe("on the embedded control plane", { timeout: 90_000 }, () => {
  describe("stuck", () => describeStuck(startEmbeddedWorld));
  describe("records", () => describeRecords(startEmbeddedWorld));
});
