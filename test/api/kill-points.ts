/** Where a process dies: before or after each of its writes. Number 0 is before the first, 1 after it, and so on. */
import { type KyselyPlugin, SelectQueryNode } from "kysely";

export class Killed extends Error {}

export class KillPoints {
  #points = 0;
  readonly #dieAt: number | undefined;

  /** Never without a number. */
  constructor(dieAt?: number) {
    this.#dieAt = dieAt;
  }

  get hasDied(): boolean {
    return this.#dieAt !== undefined && this.#points > this.#dieAt;
  }

  pass(): void {
    if (this.#points++ === this.#dieAt) throw new Killed();
  }

  async around<T>(write: () => Promise<T>): Promise<T> {
    this.pass();
    const result = await write();
    this.pass();
    return result;
  }

  /** Passes a point before and after each query that is no plain read. */
  plugin(): KyselyPlugin {
    const reads = new WeakSet<object>();
    return {
      transformQuery: ({ node, queryId }) => {
        if (SelectQueryNode.is(node)) reads.add(queryId);
        else this.pass();
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        if (!reads.has(queryId)) this.pass();
        return result;
      },
    };
  }
}
