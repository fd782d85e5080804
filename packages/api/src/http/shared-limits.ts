/** Limits that all replicas share: a row for each bucket, by the clock of PostgreSQL, since those of replicas differ. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/schema.ts";

export interface Bucket {
  key: string;
  burst: number;
  intervalMs: number;
}

const keepMs = 60_000;

export class SharedLimits {
  readonly #db: Kysely<Tables>;
  #takes = 0;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Counts one, unless there were too many: then it returns how long to wait. One statement, so that none is missed. */
  async take({ key, burst, intervalMs }: Bucket): Promise<number> {
    if (++this.#takes % 1_000 === 0) await this.#deleteFull();
    const limit = sql`${now} + ${burst * intervalMs}::bigint`;
    const next = sql`greatest(rate_limit.full_at, ${now}) + ${intervalMs}::bigint`;
    const { numAffectedRows } = await sql`
      insert into rate_limit (key, full_at) values (${key}, ${now} + ${intervalMs}::bigint)
      on conflict (key) do update set full_at = ${next} where ${next} <= ${limit}`.execute(this.#db);
    if (numAffectedRows !== 0n) return 0;
    // One may have become free since: it was not counted, so it is not given.
    return Math.max(1, await this.wait({ key, burst, intervalMs }));
  }

  /** How long to wait until one more is allowed; 0: not at all. Counts nothing. */
  async wait({ key, burst, intervalMs }: Bucket): Promise<number> {
    const { rows } = await sql<{ left: number }>`
      select full_at - ${now} as left from rate_limit where key = ${key}`.execute(this.#db);
    return Math.max(0, (rows[0]?.left ?? 0) - (burst - 1) * intervalMs);
  }

  async #deleteFull(): Promise<void> {
    await sql`delete from rate_limit where full_at < ${now} - ${keepMs}::bigint`.execute(this.#db);
  }
}

const now = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
