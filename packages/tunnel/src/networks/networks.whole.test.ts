import { describe } from "vitest";
import { embedded } from "./testing/control-planes.ts";
import { describeNetworks } from "./testing/suite.ts";

describe("on the embedded control plane", () => describeNetworks(embedded));
