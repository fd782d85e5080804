import { describe } from "vitest";
import { describeKilled, oneOfEach } from "./testing/describe-killed.ts";
import { embeddedPlace } from "./testing/embedded.ts";
import type { Kill } from "./testing/life.ts";

// What is published and what tokens hang on: each kind of write, once. The rest is killed.real.test.ts's.
const told = ["kubeconfigrequests", "secrets", "serviceaccounts"];
const kindOf = ({ at, point }: Kill) => `${point.verb} ${point.resource}/${point.subresource} ${at}`;

describe("killed at a write of each kind, on the embedded control plane", () => {
  describeKilled({
    open: embeddedPlace,
    output: "Secret",
    choose: (kills) => oneOfEach(kills, kindOf).filter(({ point }) => told.includes(point.resource)),
    atOnce: 4,
  });
});
