/**
 * How much is taken from a server that is not trusted: one that answers without end would fill our memory, a page at a
 * time. What goes beyond is an error.
 */
export interface Budget {
  /** Of one list, over all its pages; and of all that the server says it serves. */
  items: number;
  pages: number;
  groupVersions: number;
  /** For all the questions of one discovery. */
  discoveryMs: number;
}

export const noBudget: Budget = {
  items: Number.POSITIVE_INFINITY,
  pages: Number.POSITIVE_INFINITY,
  groupVersions: Number.POSITIVE_INFINITY,
  discoveryMs: Number.POSITIVE_INFINITY,
};

export function keepWithin(count: number, most: number, what: string): void {
  if (count > most) throw new Error(`the server answers with more than ${most} ${what}`);
}
