/** `&&`, `||` and `?:`. An error on one side does not matter where the other side settles it. */
import { type Expression, noMatch } from "./functions.ts";
import { bool, type CelType, fits, isDyn } from "./types.ts";
import { CelError, noSuchOverload, type Value } from "./values.ts";

/** Either what it gives, or the error that it ends with. */
export function attempt(run: () => Value): Value | CelError {
  try {
    return run();
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** Of `&&` false settles it, of `||` true. */
export function settle(settling: boolean, left: Value | CelError, right: () => Value | CelError): boolean {
  if (left === settling) return settling;
  const second = right();
  if (second === settling) return settling;
  if (left instanceof CelError) throw left;
  if (second instanceof CelError) throw second;
  if (typeof left !== "boolean" || typeof second !== "boolean") throw noSuchOverload();
  return !settling;
}

export function logical(op: "&&" | "||", left: Expression, right: Expression): Expression {
  const settling = op === "||";
  return {
    type: bool,
    run(frame) {
      frame.spend(1);
      return settle(
        settling,
        attempt(() => left.run(frame)),
        () => attempt(() => right.run(frame)),
      );
    },
  };
}

export function choose(condition: Expression, yes: Expression, no: Expression): Expression | string {
  const type = common(yes.type, no.type);
  if (!fits(bool, condition.type) || !type) return noMatch("_?_:_", false, [condition, yes, no]);
  return {
    type,
    run(frame) {
      frame.spend(1);
      const value = condition.run(frame);
      if (typeof value !== "boolean") throw noSuchOverload();
      return value ? yes.run(frame) : no.run(frame);
    },
  };
}

/** What both are. */
export function common(a: CelType, b: CelType): CelType | undefined {
  if (isDyn(a)) return a;
  if (fits(a, b)) return isDyn(b) ? b : a;
  return fits(b, a) ? b : undefined;
}
