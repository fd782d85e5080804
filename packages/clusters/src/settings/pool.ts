/** Who gets which account. */
import { isLabelValue, quoted } from "@berg/apimachinery";
import * as read from "@berg/kube/variables";
import { defaultMultiAccount } from "../subscription/pool/limits.ts";
import { defaultRules, parseRules } from "../subscription/pool/rules.ts";
import { each, partsOf } from "./parsers.ts";

export const poolVariables = {
  rules: read.variable(
    "POOL_RULES",
    defaultRules.join("; "),
    'Which accounts a plan gets, one rule after the other, with a semicolon or a line between them: "gcp(PR=cf-sa30) -> PR; trial -> S". What is in brackets must be so (PR platform region, HR region); what follows the arrow makes the account one of that platform region (PR), of that region (HR), a shared one (S), one with EU access (EU).',
    (text) => {
      const { rules, problems } = parseRules(partsOf(text, /[;\n]/));
      if (problems.length > 0) throw new Error(problems.join("\n"));
      return rules;
    },
  ),
  tenants: read.variable(
    "MULTI_ACCOUNT_TENANTS",
    "none",
    "Tenants that get another account when the clusters of one are as many as MULTI_ACCOUNT_LIMITS allows, with commas between them; * is everybody.",
    (text) => (text === "none" ? [] : each(partsOf(text, ","), tenant)),
  ),
  limits: read.variable(
    "MULTI_ACCOUNT_LIMITS",
    Object.entries(defaultMultiAccount.limits)
      .map(([provider, most]) => `${provider}=${most}`)
      .join(","),
    "How many clusters one account of such a tenant may have, by provider; default is for those that are not named.",
    (text) => limits(partsOf(text, ",")),
  ),
};

function tenant(text: string): string {
  if (text !== "*" && !isLabelValue(text))
    throw new Error(`${quoted(text)} is not a tenant: it must be a label's value`);
  return text;
}

/** What is not named keeps its default. */
function limits(parts: readonly string[]): typeof defaultMultiAccount.limits {
  const named = each(parts, (part): [string, number] => {
    const [, provider, most] = /^([a-z]{1,30})\s*=\s*(\d{1,5})$/.exec(part) ?? [];
    if (provider === undefined || !Number(most))
      throw new Error(`${quoted(part)} is not a limit such as aws=180 (from 1 to 99999)`);
    return [provider, Number(most)];
  });
  return { ...defaultMultiAccount.limits, ...Object.fromEntries(named) };
}
