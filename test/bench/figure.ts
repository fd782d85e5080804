/** A measured number beside the number that it is judged by, both from the same run and in the same unit. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  beside: number;
  /** `value` by `beside`, whichever of the two ought to be larger. */
  ratio: number;
  /** What the ratio has to be, such as `>= 0.5`. */
  goal: string;
  met: boolean;
}

export type Goal = { atLeast: number } | { atMost: number };

/** `compare({ name: "informer beside JSON.parse", unit: "frames/s", value: 60, beside: 100, goal: { atLeast: 0.5 } })` */
export function compare(measured: { name: string; unit: string; value: number; beside: number; goal: Goal }): Figure {
  const { name, unit, value, beside, goal } = measured;
  const ratio = value / beside;
  if (!Number.isFinite(ratio) || ratio <= 0) {
    throw new RangeError(`cannot compare ${name}: ${value} and ${beside} ${unit} are not both measured`);
  }
  const met = "atLeast" in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
  return { name, value, unit, beside, ratio, goal: describe(goal), met };
}

function describe(goal: Goal): string {
  return "atLeast" in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`;
}

/** The middle one; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("cannot take the median of nothing");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const above = sorted[Math.floor(middle)] as number;
  return Number.isInteger(middle) ? ((sorted[middle - 1] as number) + above) / 2 : above;
}
