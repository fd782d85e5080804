/** Where a load goes. */
export interface Site {
  host: string;
  port: number;
}

/** What stands between the load and the server. */
export interface Contender extends AsyncDisposable {
  readonly site: Site;
  /** The processes that carry: their memory and descriptors are looked at. */
  readonly pids: readonly number[];
}

/** A new one, with nothing of an earlier one in its memory. */
export type Start = () => Promise<Contender>;
