/** What `spec.subscriptionSelector` asks for. Pure. */
import { labelValueProblem } from "@berg/apimachinery";

/** A tenant's own account, or, without a tenant, one that is shared. */
export interface Selector {
  tenant: string | undefined;
}

const accountPrefix = "globalaccount:";

/**
 *     parseSelector("shared")               // { tenant: undefined }
 *     parseSelector("globalaccount:abcd-1") // { tenant: "abcd-1" }
 *     parseSelector("abcd-1")               // { tenant: "abcd-1" }
 */
export function parseSelector(text: string): Selector | { problem: string } {
  if (text === "shared") return { tenant: undefined };
  const tenant = text.startsWith(accountPrefix) ? text.slice(accountPrefix.length) : text;
  const problem = tenant === "" ? "it names no tenant" : labelValueProblem(tenant);
  if (problem === undefined) return { tenant };
  return {
    problem: `cannot read subscriptionSelector ${JSON.stringify(text)}: ${problem}. Write shared, globalaccount:<id> or <id>`,
  };
}
