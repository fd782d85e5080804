/** Where pods get their addresses from. */
import { readRange, type SubnetPool } from "@berg/local-engine";

/** 253 pods to a namespace. */
const bits = 24;

export function readPool(text: string): SubnetPool {
  const range = readRange(text);
  if (!range || range.bits > bits)
    throw new Error(
      `${JSON.stringify(text)} is not a range for pods: use an IPv4 range of /24 or more, as 10.202.0.0/16`,
    );
  return { range, bits };
}
