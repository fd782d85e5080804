import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { describeKilled, oneOfEach } from "./testing/describe-killed.ts";
import { type Kill, nameOf } from "./testing/life.ts";
import { realPlace } from "./testing/real.ts";

// `BERG_CRASHES=all` tries every write, before and after it; otherwise each is met once, in turn before and after.
const choose = (kills: readonly Kill[]) =>
  process.env.BERG_CRASHES === "all"
    ? [...kills]
    : oneOfEach(kills, (kill) => nameOf(kill).replace(/^(before|after) /, ""));

describe.skipIf(await missingControlPlane())("killed at every write, on real API servers", () => {
  describe.each(["Secret", "Status"] as const)("with the kubeconfig in the %s", (output) => {
    describeKilled({ open: realPlace, output, choose, atOnce: 8 });
  });
});
