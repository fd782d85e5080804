import { describe } from "vitest";
import { embedded } from "../networks/testing/control-planes.ts";
import { describeDeleted } from "./testing/suites/deleted.ts";

describe("on the embedded control plane", () => describeDeleted(embedded));
