/**
 * Finds what is meant by a hostname, the most particular first: by the name, then by the wildcards above it from the
 * longest to the shortest, then what stands for all. It takes as many look-ups as the name has labels, however many
 * hostnames there are: every instance brings one.
 */
export class HostnameIndex<T> {
  readonly #entries = new Map<string, T[]>();

  add(pattern: string | undefined, entry: T): void {
    const key = pattern ?? "";
    const known = this.#entries.get(key);
    if (known) known.push(entry);
    else this.#entries.set(key, [entry]);
  }

  /** Lists of equal rank, in the order in which they were added. */
  *lookUp(hostname: string): Generator<readonly T[]> {
    const exact = hostname === "" ? undefined : this.#entries.get(hostname);
    if (exact) yield exact;
    for (let dot = hostname.indexOf("."); dot >= 0; dot = hostname.indexOf(".", dot + 1)) {
      // A wildcard stands for at least one character.
      const found = dot > 0 && this.#entries.get(`*${hostname.slice(dot)}`);
      if (found) yield found;
    }
    const all = this.#entries.get("");
    if (all) yield all;
  }

  first(hostname: string): T | undefined {
    for (const [entry] of this.lookUp(hostname)) return entry;
    return undefined;
  }
}
