import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe } from "vitest";
import { describeJanitor } from "./testing/describe-janitor.ts";

describe.skipIf(await missingControlPlane())("on a real control plane", () =>
  describeJanitor(() => startControlPlane({ scheduler: false })),
);
