/**
 * Who may try for an account of a pool that was empty: as many tenants as there are accounts, first come, first served.
 * Without it a thousand that wait would all ask Gardener for the one that is there, and nobody else could ask for anything.
 * Pure.
 */
export interface Waiting {
  uid: string;
  tenant: string;
  creationTimestamp: string;
}

export function mayTry(request: Waiting, waiting: readonly Waiting[], free: number): boolean {
  const first = waiting
    .filter(({ tenant }) => tenant === request.tenant)
    .reduce((one, other) => (isBefore(other, one) ? other : one), request);
  const ahead = new Set(
    waiting.filter((other) => other.tenant !== first.tenant && isBefore(other, first)).map(({ tenant }) => tenant),
  );
  return ahead.size < free;
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.creationTimestamp !== other.creationTimestamp) return one.creationTimestamp < other.creationTimestamp;
  return one.uid < other.uid;
}
