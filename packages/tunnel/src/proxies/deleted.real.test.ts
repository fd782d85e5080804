import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { real } from "../networks/testing/real-plane.ts";
import { describeDeleted } from "./testing/suites/deleted.ts";

describe.skipIf(await missingControlPlane())("on real Kubernetes", () => describeDeleted(real));
