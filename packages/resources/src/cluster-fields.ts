/** What Clusters and SubscriptionRequests have in common. */
import { text } from "./fields.ts";

/** What a Kubernetes label can hold: the tenant becomes a label of an account. */
const tenant = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

export function subscriptionSelector() {
  return text({
    min: 1,
    max: 77,
    pattern: new RegExp(`^(globalaccount:)?${tenant}$`),
    must: "must be shared, globalaccount:<id> or <id>, where the id is up to 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit",
  });
}

/** What the rules of the pool go by. */
export function plan() {
  return text({
    min: 1,
    max: 63,
    pattern: /^[a-z0-9]([-a-z0-9_]*[a-z0-9])?$/,
    must: "must be lower-case letters, digits, '-' and '_', such as trial",
  });
}

/** The name of something in the catalogue of a cloud: a region, a zone. */
export function cloudName() {
  return text({
    min: 1,
    max: 63,
    pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    must: "must be lower-case letters, digits and '-', such as eu-central-1",
  });
}
