/**
 * Which permissions of some rules others do not cover. Each combination of verb, API group, resource and name counts by
 * itself, as in Kubernetes, but the combinations are not written out: a rule of 7 kB stands for two hundred million. Values
 * that the same rules cover are compared as one, so that the work depends on how many different rules somebody holds and
 * not on the size of what is sent, and there is an upper bound for both.
 */
import { matchesPath, type PolicyRule } from "./rules.ts";

/** One verb on one resource or URL. */
export interface Permission {
  verb: string;
  apiGroup?: string;
  resource?: string;
  resourceName?: string;
  nonResourceURL?: string;
}

export interface Coverage {
  /** In the order in which the rules name them; only some of them where there are very many (`isCut`). */
  missing: Permission[];
  /** Whether some of `missing` were left out. */
  isCut: boolean;
  /** Comparing was given up before anything missing was found: there are too many different combinations. */
  isTooLarge: boolean;
}

const mostMissing = 500;
const mostMissingCharacters = 32 << 10;
/** Elements of lists that are visited: well under a second. */
const mostSteps = 5_000_000;

export function compareRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[], budget = mostSteps): Coverage {
  const comparison = new Comparison(held, budget);
  const { missing } = comparison;
  try {
    for (const rule of wanted) comparison.compare(rule);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { missing, isCut: true, isTooLarge: missing.length === 0 };
  }
  return { missing, isCut: false, isTooLarge: false };
}

/** Ends a comparison that has found enough, or taken too long. */
class Stop extends Error {}

/** The numbers of held rules, ascending. */
type RuleSet = readonly number[];

/** Values of one list of a wanted rule (by their index) that the same held rules cover. */
interface ValueClass {
  coveredBy: RuleSet;
  indexes: number[];
}

class Comparison {
  readonly missing: Permission[] = [];
  readonly #verbs: ValueIndex;
  readonly #groups: ValueIndex;
  readonly #resources: ValueIndex;
  readonly #names: ValueIndex;
  readonly #urls: UrlIndex;
  /** Held rules that are not restricted to names. */
  readonly #unnamed: RuleSet;
  #stepsLeft: number;
  #missingCharacters = 0;

  constructor(held: readonly PolicyRule[], budget: number) {
    this.#stepsLeft = budget;
    const count = (steps: number) => this.#count(steps);
    const isUnnamed = ({ resourceNames = [] }: PolicyRule) => resourceNames.length === 0;
    this.#unnamed = held.flatMap((rule, index) => (isUnnamed(rule) ? [index] : []));
    this.#verbs = new ValueIndex(held, ({ verbs }) => verbs, count);
    this.#groups = new ValueIndex(held, ({ apiGroups }) => apiGroups, count);
    this.#resources = new ValueIndex(held, ({ resources }) => resources, count, subresourceWildcard);
    this.#names = new ValueIndex(held, (rule) => rule.resourceNames, count, undefined, this.#unnamed);
    this.#urls = new UrlIndex(held, count);
  }

  compare(rule: PolicyRule): void {
    const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    const ofVerbs = this.#verbs.classesOf(verbs);
    const ofNames = resourceNames.length > 0 ? this.#names.classesOf(resourceNames) : [only(this.#unnamed)];
    this.#search(
      [this.#groups.classesOf(apiGroups), this.#resources.classesOf(resources), ofVerbs, ofNames],
      ([group = 0, resource = 0, verb = 0, name = 0]) => ({
        verb: verbs[verb] as string,
        apiGroup: apiGroups[group] as string,
        resource: resources[resource] as string,
        ...(resourceNames.length > 0 && { resourceName: resourceNames[name] as string }),
      }),
    );
    this.#search([this.#urls.classesOf(nonResourceURLs), ofVerbs, [only(this.#unnamed)]], ([url = 0, verb = 0]) => ({
      verb: verbs[verb] as string,
      nonResourceURL: nonResourceURLs[url] as string,
    }));
  }

  #search(lists: ValueClass[][], permissionAt: (indexes: readonly number[]) => Permission): void {
    if (lists.some((classes) => classes.length === 0)) return;
    const allIndexes = lists.map((classes) => classes.flatMap(({ indexes }) => indexes));
    const found: (readonly number[])[] = [];
    const visit = (depth: number, chosen: readonly number[][], coveredBy: RuleSet | undefined): void => {
      if (coveredBy?.length === 0) {
        // No held rule is left, whatever the other lists say.
        this.#addCombinations([...chosen, ...allIndexes.slice(depth)], found, permissionAt);
        return;
      }
      for (const one of lists[depth] ?? []) {
        const both = coveredBy ? this.#intersect(coveredBy, one.coveredBy) : one.coveredBy;
        visit(depth + 1, [...chosen, one.indexes], both);
      }
    };
    try {
      visit(0, [], undefined);
    } finally {
      found.sort(byIndexes);
      this.missing.push(...found.map(permissionAt));
    }
  }

  #addCombinations(
    lists: readonly (readonly number[])[],
    found: (readonly number[])[],
    permissionAt: (indexes: readonly number[]) => Permission,
  ): void {
    const add = (chosen: readonly number[]): void => {
      if (chosen.length === lists.length) {
        if (this.missing.length + found.length >= mostMissing || this.#missingCharacters > mostMissingCharacters)
          throw new Stop();
        found.push(chosen);
        for (const text of Object.values(permissionAt(chosen))) this.#missingCharacters += text.length;
        return;
      }
      for (const index of lists[chosen.length] ?? []) add([...chosen, index]);
    };
    add([]);
  }

  #intersect(one: RuleSet, other: RuleSet): RuleSet {
    this.#count(one.length + other.length);
    const both: number[] = [];
    for (let i = 0, j = 0; i < one.length && j < other.length; ) {
      const difference = (one[i] as number) - (other[j] as number);
      if (difference === 0) both.push(one[i] as number);
      if (difference <= 0) i++;
      if (difference >= 0) j++;
    }
    return both;
  }

  #count(steps: number): void {
    this.#stepsLeft -= 1 + steps;
    if (this.#stepsLeft < 0) throw new Stop();
  }
}

function only(coveredBy: RuleSet): ValueClass {
  return { coveredBy, indexes: [0] };
}

/** Which held rules cover a value of one of their lists. */
class ValueIndex {
  readonly #byValue = new Map<string, number[]>();
  /** Rules that cover every value. */
  readonly #always: RuleSet;
  readonly #wildcardOf: (value: string) => string | undefined;
  readonly #count: (steps: number) => void;

  constructor(
    held: readonly PolicyRule[],
    valuesOf: (rule: PolicyRule) => readonly string[] | undefined,
    count: (steps: number) => void,
    wildcardOf: (value: string) => string | undefined = () => undefined,
    always?: RuleSet,
  ) {
    this.#count = count;
    this.#wildcardOf = wildcardOf;
    held.forEach((rule, number) => {
      for (const value of new Set(valuesOf(rule))) {
        const known = this.#byValue.get(value);
        if (known) known.push(number);
        else this.#byValue.set(value, [number]);
      }
    });
    // Names have no wildcard: a rule without names covers all of them.
    this.#always = always ?? this.#byValue.get("*") ?? [];
  }

  classesOf(values: readonly string[]): ValueClass[] {
    return classify(values, (value) => this.#rulesFor(value));
  }

  #rulesFor(value: string): RuleSet {
    const sets = [value, this.#wildcardOf(value)].flatMap((one) => {
      const rules = one === undefined ? undefined : this.#byValue.get(one);
      return rules && rules !== this.#always ? [rules] : [];
    });
    if (sets.length === 0) return this.#always;
    const all = [...sets, this.#always];
    this.#count(all.reduce((sum, rules) => sum + rules.length, 0));
    return [...new Set(all.flat())].sort((a, b) => a - b);
  }
}

class UrlIndex {
  readonly #held: readonly { url: string; number: number }[];
  readonly #count: (steps: number) => void;

  constructor(held: readonly PolicyRule[], count: (steps: number) => void) {
    this.#count = count;
    this.#held = held.flatMap(({ nonResourceURLs = [] }, number) => nonResourceURLs.map((url) => ({ url, number })));
  }

  classesOf(urls: readonly string[]): ValueClass[] {
    return classify(urls, (wanted) => {
      this.#count(this.#held.length);
      const rules = this.#held.filter(({ url }) => matchesPath(url, wanted)).map(({ number }) => number);
      return [...new Set(rules)];
    });
  }
}

function classify(values: readonly string[], rulesFor: (value: string) => RuleSet): ValueClass[] {
  const classes = new Map<string, ValueClass>();
  const known = new Map<RuleSet, string>();
  values.forEach((value, index) => {
    const coveredBy = rulesFor(value);
    // Most values are covered by the same list: its key is made once.
    const key = known.get(coveredBy) ?? coveredBy.join();
    known.set(coveredBy, key);
    const same = classes.get(key);
    if (same) same.indexes.push(index);
    else classes.set(key, { coveredBy, indexes: [index] });
  });
  return [...classes.values()];
}

/** `pods/log` is also covered by that subresource of all resources. */
function subresourceWildcard(resource: string): string | undefined {
  const slash = resource.indexOf("/");
  return slash < 0 ? undefined : `*${resource.slice(slash)}`;
}

function byIndexes(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at < 0 ? 0 : (one[at] as number) - (other[at] as number);
}
