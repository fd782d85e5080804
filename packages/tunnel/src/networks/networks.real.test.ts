import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "./testing/real-plane.ts";
import { describeNetworks } from "./testing/suite.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeNetworks(real));
