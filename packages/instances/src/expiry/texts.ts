/** What owners read. Times are as `status` has them; an instance without one does not end by itself. */
export const expiryTexts = {
  started: (expiresAt: string | undefined) => `The instance ${ends(expiresAt)}`,
  admitted: (expiresAt: string | undefined) => `The time is counted from now: the instance ${ends(expiresAt)}`,
  limited: (expiresAt: string | undefined) => `The latest end has been moved: the instance ${ends(expiresAt)}`,
  timeoutChanged: (expiresAt: string | undefined, isLimited: boolean) =>
    `The timeout was changed: the instance ${ends(expiresAt)}${isLimited ? ", the latest time that until allows" : ""}`,
  timeoutRefused: (expiresAt: string | undefined, problem: string) =>
    `The timeout was not changed: ${problem}; the instance ${ends(expiresAt)}`,
  renewed: (expiresAt: string | undefined, renewal: number, most: number) =>
    `Renewed (${renewal} of ${most}): the instance ${ends(expiresAt)}`,
  usedUp: (expiresAt: string | undefined, most: number) =>
    `Not renewed: ${most === 0 ? "instances cannot be renewed here" : `all ${most} renewals are used up`}; the instance ${ends(expiresAt)}`,
  latestEnd: (until: string) => `Not renewed: the instance may not live past ${until}`,
  noGain: (expiresAt: string | undefined) => `Not renewed: it would add no time; the instance ${ends(expiresAt)}`,
  cannotCount: (expiresAt: string | undefined, problem: string) =>
    `Not renewed: ${problem}; the instance ${ends(expiresAt)}`,
} as const;

function ends(expiresAt: string | undefined): string {
  return expiresAt === undefined ? "does not end by itself" : `ends at ${expiresAt}`;
}
