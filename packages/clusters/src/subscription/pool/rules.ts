/**
 * Which part of the pool a request gets its account from. The rules have the syntax of Kyma's `hap.rule`:
 *
 *     PLAN(PR=<platform region>, HR=<region>) -> PR, HR, S, EU
 *
 * What is in brackets must be so for the rule to hold; of several, the one that asks for most does. What follows the arrow
 * shapes the answer: accounts of that platform region, of that region, shared ones, ones with EU access. Pure.
 *
 *     gcp                    every gcp account
 *     gcp(PR=cf-sa30) -> PR  those labelled gcp_cf-sa30
 *     trial -> S             shared ones
 */
const inputs = ["PR", "HR"] as const;
const outputs = ["PR", "HR", "S", "EU"] as const;
type Input = (typeof inputs)[number];
type Output = (typeof outputs)[number];

export interface Rule {
  /** As it was written. */
  text: string;
  plan: string;
  inputs: ReadonlyMap<Input, string>;
  outputs: ReadonlySet<Output>;
}

export interface Asked {
  plan: string;
  platformRegion?: string | undefined;
  region?: string | undefined;
}

export const defaultRules = ["aws", "azure", "gcp", "openstack", "alicloud"] as const;

const shape = /^([a-z0-9](?:[-a-z0-9_]*[a-z0-9])?)\s*(?:\(([^()]*)\))?\s*(?:->(.*))?$/;
const value = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** All mistakes at once, each with the rule that it is in. */
export function parseRules(lines: readonly string[]): { rules: Rule[]; problems: string[] } {
  const read = lines.map(parseRule);
  const rules = read.filter((one): one is Rule => typeof one !== "string");
  const problems = read.filter((one) => typeof one === "string");
  if (rules.length === 0 && problems.length === 0)
    problems.push("there is no rule: write one for each plan, such as aws");
  return { rules, problems: [...problems, ...clashes(rules)] };
}

/** The one that holds; undefined where none does. */
export function matchRule(rules: readonly Rule[], asked: Asked): Rule | undefined {
  const is: Record<Input, string | undefined> = { PR: asked.platformRegion, HR: asked.region };
  return rules
    .filter((rule) => rule.plan === asked.plan && [...rule.inputs].every(([input, wanted]) => is[input] === wanted))
    .sort((a, b) => b.inputs.size - a.inputs.size)[0];
}

function parseRule(line: string): Rule | string {
  const text = line.trim();
  const problem = (why: string) => `cannot read the rule ${JSON.stringify(text)}: ${why}`;
  const [, plan, bracketed, shaped] = shape.exec(text) ?? [];
  if (plan === undefined) return problem("it must be PLAN(PR=…, HR=…) -> PR, HR, S, EU, such as gcp(PR=cf-sa30) -> PR");
  const given = new Map<Input, string>();
  for (const part of partsOf(bracketed)) {
    const [name, wanted, ...rest] = part.split("=").map((each) => each.trim());
    if (!isOneOf(inputs, name)) return problem(`${JSON.stringify(part)} is not PR=… or HR=…`);
    if (wanted === undefined || rest.length > 0 || !value.test(wanted))
      return problem(`${JSON.stringify(part)} has no value that a label can hold`);
    if (given.has(name)) return problem(`${name} is there twice`);
    given.set(name, wanted);
  }
  const wanted = new Set<Output>();
  for (const name of partsOf(shaped)) {
    if (!isOneOf(outputs, name))
      return problem(`after the arrow only ${outputs.join(", ")} may stand, not ${JSON.stringify(name)}`);
    if (wanted.has(name)) return problem(`${name} is there twice after the arrow`);
    wanted.add(name);
  }
  if (shaped !== undefined && wanted.size === 0) return problem("nothing stands after the arrow: leave it out");
  return { text, plan, inputs: given, outputs: wanted };
}

/** Rules of which two could hold for one request, and none says which. */
function clashes(rules: readonly Rule[]): string[] {
  return rules.flatMap((rule, at) =>
    rules.slice(0, at).flatMap((before) => {
      if (before.plan !== rule.plan || before.inputs.size !== rule.inputs.size) return [];
      const both = new Map([...before.inputs, ...rule.inputs]);
      if ([...before.inputs].some(([input, wanted]) => both.get(input) !== wanted)) return [];
      if (both.size > rule.inputs.size && rules.some((one) => one.plan === rule.plan && isSame(one.inputs, both)))
        return [];
      return [
        `the rules ${JSON.stringify(before.text)} and ${JSON.stringify(rule.text)} hold for the same requests: drop one`,
      ];
    }),
  );
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, wanted]) => b.get(name) === wanted);
}

function partsOf(text: string | undefined): string[] {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? [] : trimmed.split(",").map((part) => part.trim());
}

function isOneOf<T extends string>(all: readonly T[], text: string | undefined): text is T {
  return (all as readonly (string | undefined)[]).includes(text);
}
