/** Keeps the last few results of a pure function, for those who ask the same again soon. */
export class Lately<V> {
  readonly #limit: number;
  /** The longest unasked first. */
  readonly #results = new Map<string, { inputs: readonly unknown[]; value: V }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `inputs`: all that the result follows from. They are the same where they are identical, so nothing may edit them. */
  of(key: string, inputs: readonly unknown[], work: () => V): V {
    const known = this.#results.get(key);
    const isSame = known?.inputs.length === inputs.length && inputs.every((input, at) => input === known.inputs[at]);
    const result = known && isSame ? known : { inputs, value: work() };
    this.#results.delete(key);
    this.#results.set(key, result);
    for (const [oldest] of this.#results) {
      if (this.#results.size <= this.#limit) break;
      this.#results.delete(oldest);
    }
    return result.value;
  }
}
