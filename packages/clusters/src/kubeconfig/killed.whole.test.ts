import { describe } from "vitest";
import { oneOfEach } from "../../../../test/crash/choose.ts";
import { kindOf } from "../../../../test/crash/mortal.ts";
import { describeKilled } from "./testing/describe-killed.ts";
import { embeddedPlace } from "./testing/embedded.ts";

// What is published and what tokens hang on: each kind of write, once. The rest is killed.real.test.ts's.
const told = ["kubeconfigrequests", "secrets", "serviceaccounts"];

describe("killed at a write of each kind, on the embedded control plane", () => {
  describeKilled({
    open: embeddedPlace,
    output: "Secret",
    choose: (kills) => oneOfEach(kills, kindOf).filter(({ point }) => told.includes(point.resource)),
    atOnce: 4,
  });
});
