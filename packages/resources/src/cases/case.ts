/** What the CRDs accept and refuse: the shape of one case, and what the cases of several kinds are made of. */
export interface Case {
  name: string;
  kind: string;
  /** What is stored already; without it the case creates. */
  before?: Body;
  /** With a status, it is the status that is written. */
  write: Body;
  /** The fields that are refused. None: the write is accepted. */
  wantRefused?: string[];
  /** Part of what is stored. */
  wantStored?: object;
}

export interface Body {
  spec?: unknown;
  status?: unknown;
}

export type Fields = Record<string, unknown>;

export const repeated = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
