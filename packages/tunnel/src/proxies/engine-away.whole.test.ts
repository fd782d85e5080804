import { describe } from "vitest";
import { embedded } from "../networks/testing/control-planes.ts";
import { describeEngineAway } from "./testing/suites/engine-away.ts";

describe("on the embedded control plane", () => describeEngineAway(embedded));
