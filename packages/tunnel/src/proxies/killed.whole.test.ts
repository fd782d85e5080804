import { describe } from "vitest";
import { embedded } from "../networks/testing/control-planes.ts";
import { describeKilled } from "./testing/suites/killed.ts";

describe("on the embedded control plane", () => describeKilled(embedded));
