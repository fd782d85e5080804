import { missingControlPlane } from "@berg/test";
import { describe } from "vitest";
import { oneOfEach } from "../../../../test/crash/choose.ts";
import { nameOf } from "../../../../test/crash/mortal.ts";
import { describeKilled } from "./testing/describe-killed.ts";
import type { Kill } from "./testing/life.ts";
import { realPlace } from "./testing/real.ts";

// `BERG_CRASHES=all` tries every write, before and after it, for both outputs; otherwise each of the usual output is met
// once, in turn before and after.
const isAll = process.env.BERG_CRASHES === "all";
const outputs = isAll ? (["Secret", "Status"] as const) : (["Secret"] as const);
const choose = (kills: readonly Kill[]) =>
  isAll ? [...kills] : oneOfEach(kills, (kill) => nameOf(kill).replace(/^(before|after) /, ""));

describe.skipIf(await missingControlPlane())("killed at every write, on real API servers", () => {
  describe.each(outputs)("with the kubeconfig in the %s", (output) => {
    // A life mostly waits until an API server no longer accepts a token that was revoked: 10 s.
    describeKilled({ open: realPlace, output, choose, atOnce: 12 });
  });
});
