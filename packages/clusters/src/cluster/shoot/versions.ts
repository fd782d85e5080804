/** Which of two versions is newer, as far as both say: `1.33` says nothing about patches. */
export function isNewer(one: string, other: string): boolean {
  const [ours, theirs] = [partsOf(one), partsOf(other)];
  const shared = Math.min(ours.length, theirs.length);
  for (let at = 0; at < shared; at++) {
    const [mine, yours] = [ours[at] ?? 0, theirs[at] ?? 0];
    if (mine !== yours) return mine > yours;
  }
  return false;
}

function partsOf(version: string): number[] {
  return version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
}
