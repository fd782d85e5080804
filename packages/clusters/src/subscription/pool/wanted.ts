/** Which accounts would do for a request. Pure. */
import { labelValueProblem } from "@berg/apimachinery";
import type { SubscriptionRequestSpec, SubscriptionRequestStatus } from "@berg/resources";
import { matchRule, type Rule } from "./rules.ts";
import { parseSelector } from "./selector.ts";

export interface Wanted {
  provider: string;
  /** What the accounts are labelled with: `<provider>[_<platform region>][_<region>]`. */
  hyperscalerType: string;
  euAccess: boolean;
  /** Whose own it must be; undefined: a shared one. */
  tenant: string | undefined;
}

export function wantedOf(spec: SubscriptionRequestSpec, rules: readonly Rule[]): Wanted | { problem: string } {
  const selector = parseSelector(spec.subscriptionSelector);
  if ("problem" in selector) return selector;
  const { provider, region, platformRegion, plan = provider } = spec;
  const rule = matchRule(rules, { plan, region, platformRegion });
  if (!rule) return { problem: noRule(plan, rules) };
  const parts: string[] = [provider];
  for (const [output, field, value] of [
    ["PR", "platformRegion", platformRegion],
    ["HR", "region", region],
  ] as const) {
    if (!rule.outputs.has(output)) continue;
    if (value === undefined)
      return { problem: `${field} is missing: the accounts of the plan ${JSON.stringify(plan)} are kept apart by it` };
    parts.push(value);
  }
  const hyperscalerType = parts.join("_");
  const problem = labelValueProblem(hyperscalerType);
  if (problem !== undefined) return { problem: `no account can be of that type: ${problem}` };
  return {
    provider,
    hyperscalerType,
    euAccess: rule.outputs.has("EU") || spec.euAccess === true,
    tenant: rule.outputs.has("S") ? undefined : selector.tenant,
  };
}

/** The same for a request that has its account; undefined where its status does not say. */
export function givenTo(
  { provider, subscriptionSelector, euAccess = false }: SubscriptionRequestSpec,
  { hyperscalerType, shared }: SubscriptionRequestStatus,
): Wanted | undefined {
  const selector = parseSelector(subscriptionSelector);
  if (hyperscalerType === undefined || shared === undefined || "problem" in selector) return undefined;
  return { provider, hyperscalerType, euAccess, tenant: shared ? undefined : selector.tenant };
}

/** Requests of one line may want the same account. */
export function lineOf({ hyperscalerType, euAccess, tenant }: Wanted): string {
  return JSON.stringify([hyperscalerType, euAccess, tenant]);
}

/** In words, for whoever looks after the pool. */
export function describeWanted({ hyperscalerType, euAccess, tenant }: Wanted): string {
  const kind = tenant === undefined ? "shared" : `of ${tenant} or of nobody`;
  return `hyperscalerType=${hyperscalerType}${euAccess ? " with euAccess" : ""}, ${kind}`;
}

function noRule(plan: string, rules: readonly Rule[]): string {
  const plans = [...new Set(rules.map((rule) => rule.plan))].join(", ");
  return `no rule of the pool holds for the plan ${JSON.stringify(plan)} in these regions. There are rules for ${plans}`;
}
