/**
 * Scripts of some ten steps. They are about one or two kinds and two names, so that requests meet; they begin with an
 * object that is there, and end with a look at everything that happened.
 */
import fc from "fast-check";
import { type Kind, kinds } from "../kinds/index.ts";
import type { Step } from "../step.ts";
import { remove, removeMany } from "./endings.ts";
import { asked, pathOf } from "./places.ts";
import { get, list, watch } from "./reads.ts";
import { scale, special } from "./special.ts";
import { oneIn } from "./values.ts";
import { apply, begin, change, create, patch, update, writeStatus } from "./writes.ts";

type Weighted = { arbitrary: fc.Arbitrary<Step>; weight: number };

function steps(kind: Kind, name: string): fc.Arbitrary<Step> {
  const own = special(kind, name);
  const choices: (Weighted | undefined)[] = [
    { arbitrary: create(kind, name), weight: 6 },
    { arbitrary: apply(kind, name), weight: 8 },
    { arbitrary: patch(kind, name), weight: 10 },
    { arbitrary: change(kind, name), weight: 5 },
    { arbitrary: update(kind, name), weight: 3 },
    kind.status && { arbitrary: writeStatus(kind, name, kind.status), weight: 4 },
    kind.hasScale ? { arbitrary: scale(kind, name), weight: 2 } : undefined,
    { arbitrary: remove(kind, name), weight: 5 },
    kind.namespaced ? { arbitrary: removeMany(kind), weight: 1 } : undefined,
    { arbitrary: get(kind, name), weight: 2 },
    { arbitrary: list(kind, name), weight: 5 },
    { arbitrary: watch(kind, name), weight: 1 },
    own && { arbitrary: own, weight: 3 },
  ];
  return fc.oneof(...choices.filter((choice) => choice !== undefined));
}

function about(kind: Kind): fc.Arbitrary<Step> {
  const names = kind.namespaced ? ["a", "a", "a", "b"] : ["{ns}-a", "{ns}-a", "{ns}-b", "{ns}"];
  return fc.constantFrom(...names).chain((name) => steps(kind, name));
}

/** Everything that is there, and everything that happened. */
function lookBack(kind: Kind): Step[] {
  const selector = kind.namespaced ? {} : { labelSelector: "play={ns}" };
  return [
    { method: "GET", path: asked(pathOf(kind), selector) },
    {
      method: "GET",
      path: asked(pathOf(kind), { watch: 1, timeoutSeconds: 1, resourceVersion: "{rv namespaces/ns}", ...selector }),
    },
  ];
}

const anyKind = fc.oneof(...kinds.map(({ kind, weight }) => ({ arbitrary: fc.constant(kind), weight })));

export const scripts: fc.Arbitrary<Step[]> = fc.tuple(anyKind, oneIn(3, anyKind)).chain(([kind, other]) => {
  const first = begin(kind, kind.namespaced ? "a" : "{ns}-a");
  const rest = fc.array(
    other ? fc.oneof({ arbitrary: about(kind), weight: 2 }, { arbitrary: about(other), weight: 1 }) : about(kind),
    {
      minLength: 3,
      maxLength: 14,
      size: "max",
    },
  );
  return fc
    .tuple(first, rest)
    .map(([step, more]) => [step, ...more, ...lookBack(kind), ...(other && other !== kind ? lookBack(other) : [])]);
});

/** Number `index` of those that belong to a seed. */
export function scriptOf(seed: number, index: number): Step[] {
  return fc.sample(scripts, { seed: (seed * 1_000_003 + index) | 0, numRuns: 1 })[0] as Step[];
}
