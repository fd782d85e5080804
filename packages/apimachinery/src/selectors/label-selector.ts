import { ParseError, quoted } from "../parse-error.ts";
import {
  compileRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  makeRequirement,
  printRequirement,
} from "./label-requirement.ts";

/** A label selector as it stands in an object, such as `spec.selector` of a Deployment. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelExpression[];
}

export interface LabelExpression {
  key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; on nodes also `Gt` and `Lt`. */
  operator: string;
  values?: string[];
}

/** A label selector ready for use: compiled once, then asked for each object. All its requirements must hold. */
export class LabelMatcher {
  readonly requirements: readonly LabelRequirement[];
  readonly #tests: readonly ((labels: Labels) => boolean)[];

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = Object.freeze(requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
    this.#tests = this.requirements.map(compileRequirement);
  }

  /** An object without labels is asked about as one with none. */
  matches(labels: Labels | undefined): boolean {
    const asked = labels ?? noLabels;
    for (const test of this.#tests) if (!test(asked)) return false;
    return true;
  }

  /** The text form, sorted by key: what goes into a request's `labelSelector`. */
  toString(): string {
    return this.requirements.map(printRequirement).join(",");
  }
}

const noLabels: Labels = Object.freeze({});

export const selectEverything = new LabelMatcher([]);

/**
 * Matches no object. Kubernetes prints its own as the empty text, which a server reads as "everything": a delete of
 * nothing would delete all. Ours is a contradiction, and so stays nothing when it is printed and sent.
 */
export const selectNothing = new LabelMatcher([
  { key: "nothing", operator: "exists", values: [] },
  { key: "nothing", operator: "!", values: [] },
]);

const operators = new Map<string, LabelOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);
const nodeOperators = new Map<string, LabelOperator>([...operators, ["Gt", ">"], ["Lt", "<"]]);

/**
 * A selector that is absent selects nothing, one that is empty selects everything.
 *
 *     compileLabelSelector(deployment.spec.selector).matches(pod.metadata.labels)
 */
export function compileLabelSelector(selector: LabelSelector | null | undefined): LabelMatcher {
  if (!selector) return selectNothing;
  const labels = Object.entries(selector.matchLabels ?? {});
  const expressions = selector.matchExpressions ?? [];
  if (labels.length + expressions.length === 0) return selectEverything;
  return new LabelMatcher([
    ...labels.map(([key, value]) => requirement(key, "=", [value])),
    ...expressions.map((expression) => fromExpression(expression, operators)),
  ]);
}

/** The `matchExpressions` of one node selector term; a term that says nothing selects no node. */
export function compileNodeExpressions(expressions: readonly LabelExpression[] | null | undefined): LabelMatcher {
  if (!expressions || expressions.length === 0) return selectNothing;
  return new LabelMatcher(expressions.map((expression) => fromExpression(expression, nodeOperators)));
}

function fromExpression(
  { key, operator, values }: LabelExpression,
  known: ReadonlyMap<string, LabelOperator>,
): LabelRequirement {
  const meant = known.get(operator);
  if (meant === undefined)
    throw new ParseError(
      "label selector",
      key,
      `${quoted(operator)} is not an operator (${[...known.keys()].join(", ")})`,
    );
  return requirement(key, meant, values ?? []);
}

function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const made = makeRequirement(key, operator, values);
  if ("problem" in made) throw new ParseError("label selector", key, made.problem);
  return made;
}
