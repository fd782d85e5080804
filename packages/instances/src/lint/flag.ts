import type { Challenge } from "@berg/resources";
import { type Problem, warning } from "./problem.ts";

/** Whether the flags of instances can be made from that of the Challenge, each another one. Never quotes it. */
export function flagProblems({ spec }: Challenge): Problem[] {
  const asking = spec.containers.findIndex(({ dynamicFlag }) => dynamicFlag !== undefined);
  if (asking < 0) return [];
  const path = ["spec", "flag"];
  if (!spec.flag) {
    const message = `there is no flag from which that of an instance is made, and containers[${asking}] gets one`;
    return [warning(path, message, "set it")];
  }
  if (spec.dynamicFlagMode === "leetify" && !/\{[^}]*[aegilorst][^}]*\}/i.test(spec.flag)) {
    const message = "between its braces is no letter that leetify changes, so that every instance has the same flag";
    return [warning(path, message, "add letters, or set dynamicFlagMode to suffix")];
  }
  return [];
}
