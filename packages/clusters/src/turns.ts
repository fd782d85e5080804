/**
 * One object at a time in each line. One whose turn it is not goes away, so that it keeps no worker waiting, and is called
 * when its turn has come.
 *
 *     if (!turns.take("aws/tenant-1", key)) return undefined;
 *     …
 *     turns.leave(key);
 */
import type { ObjectKey } from "@berg/apimachinery";

export class Turns {
  /** The first in each is the one whose turn it is. */
  readonly #lines = new Map<string, Set<ObjectKey>>();
  readonly #call: (key: ObjectKey) => void;

  constructor(call: (key: ObjectKey) => void) {
    this.#call = call;
  }

  take(line: string, key: ObjectKey): boolean {
    const keys = this.#lines.get(line) ?? new Set();
    this.#lines.set(line, keys.add(key));
    return firstOf(keys) === key;
  }

  /** At the end of every look at a key, whether it had its turn, used it, or did not need it any more. */
  leave(key: ObjectKey): void {
    for (const [line, keys] of this.#lines) {
      if (firstOf(keys) !== key) continue;
      keys.delete(key);
      const next = firstOf(keys);
      if (next === undefined) this.#lines.delete(line);
      else this.#call(next);
    }
  }
}

function firstOf(keys: ReadonlySet<ObjectKey>): ObjectKey | undefined {
  return keys.values().next().value;
}
