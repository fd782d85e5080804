import { describe } from "vitest";
import { embedded } from "../networks/testing/control-planes.ts";
import { describeStates } from "./testing/suites/states.ts";

describe("on the embedded control plane", () => describeStates(embedded));
