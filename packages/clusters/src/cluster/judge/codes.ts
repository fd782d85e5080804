/** Gardener's codes of what went wrong. */

/** Nothing gets better by trying again: somebody must change the account or the spec. */
const forPeople: ReadonlySet<string> = new Set([
  "ERR_INFRA_UNAUTHENTICATED",
  "ERR_INFRA_UNAUTHORIZED",
  "ERR_INFRA_QUOTA_EXCEEDED",
  "ERR_INFRA_DEPENDENCIES",
  "ERR_CONFIGURATION_PROBLEM",
  "ERR_PROBLEMATIC_WEBHOOK",
]);

export function isUserError(codes: readonly string[]): boolean {
  return codes.some((code) => forPeople.has(code));
}

export function codesOf(errors: readonly { codes?: string[] }[] | undefined): string[] {
  return [...new Set(errors?.flatMap(({ codes = [] }) => codes) ?? [])].sort();
}
