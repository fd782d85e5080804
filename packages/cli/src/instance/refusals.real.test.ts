import { startControlPlane } from "@berg/test";
import { describe } from "vitest";
import { describeRefusals } from "./testing/refusals.ts";

describe("on a real control plane", () => describeRefusals(() => startControlPlane({ scheduler: false })));
