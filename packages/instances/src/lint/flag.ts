import { type Challenge, flagEntropyBits } from "@berg/resources";
import { type Problem, warning } from "./problem.ts";

/** With fewer forms, players can try the flags of others, and two instances may have the same. */
const leastBits = 20;

/** Whether the flags of instances can be made from that of the Challenge, each another one. Never quotes it. */
export function flagProblems({ spec }: Challenge): Problem[] {
  const asking = spec.containers.findIndex(({ dynamicFlag }) => dynamicFlag !== undefined);
  if (asking < 0) return [];
  const path = ["spec", "flag"];
  if (!spec.flag) {
    const message = `there is no flag from which that of an instance is made, and containers[${asking}] gets one`;
    return [warning(path, message, "set it")];
  }
  const bits = flagEntropyBits({ spec });
  const fix = "add letters, or set dynamicFlagMode to suffix";
  if (bits === 0) {
    const message = "between its braces is no letter that leetify changes, so that every instance has the same flag";
    return [warning(path, message, fix)];
  }
  if (bits < leastBits) {
    const message = `leetify makes only ${2 ** bits} flags of it, so that players can guess those of others: it needs ${leastBits} letters of "aegilorst" between its braces and has ${bits}`;
    return [warning(path, message, fix)];
  }
  return [];
}
