/**
 * Gives statements a name, so that PostgreSQL parses and plans each once per connection. A connection keeps its named
 * statements until it ends, so only a limited number of texts gets one: a list of values of any length
 * (`where id in (…)`) is another text for each length.
 */
import { createHash } from "node:crypto";
import type pg from "pg";

const mostStatements = 500;

/** Statements about tables and transactions run once, or are not worth it. */
const nameable = /^\s*(?:select|insert|update|delete|with)\b/i;

type Query = (config: pg.QueryConfig) => Promise<pg.QueryResult>;

export class NamedStatements {
  readonly #names = new Map<string, string>();
  /** Part of each name: after a change of the tables, all statements are planned again. */
  #generation = 0;

  get size(): number {
    return this.#names.size;
  }

  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    if (this.#names.size >= mostStatements || !nameable.test(sql)) return undefined;
    const hash = createHash("sha256").update(sql).digest("base64url").slice(0, 32);
    const name = `berg_${this.#generation}_${hash}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Changes what the client does with statements that have values. `onError` sees each error first. */
  prepareOn(client: pg.PoolClient, onError: (error: unknown) => void): void {
    const query = client.query.bind(client) as Query & pg.PoolClient["query"];
    const run = async (text: string, values: unknown[]) => {
      const name = this.nameOf(text);
      const isOutsideTransaction = client.getTransactionStatus() === "I";
      try {
        return await query({ text, values, ...(name !== undefined && { name }) });
      } catch (error) {
        onError(error);
        if (!isOutdated(error)) throw error;
        this.#names.clear();
        this.#generation++;
        // In a transaction, everything before this statement is lost as well: its caller runs it again.
        if (!isOutsideTransaction) throw error;
        return query({ text, values });
      }
    };
    client.query = ((text: unknown, values: unknown, ...more: unknown[]) =>
      typeof text === "string" && Array.isArray(values) && more.length === 0
        ? run(text, values)
        : (query as (...all: unknown[]) => unknown)(text, values, ...more)) as typeof client.query;
  }
}

/**
 * A newer version has added a column since the statement was planned, and `select *` would now return it. PostgreSQL
 * refuses before it does anything.
 */
export function isOutdated(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "0A000" && typeof message === "string" && message.includes("cached plan");
}
