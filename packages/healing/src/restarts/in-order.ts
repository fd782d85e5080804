/** Work on one thing, one after the other in the order in which it came; what one throws does not harm the next. */
export class InOrder {
  readonly #last = new Map<string, Promise<void>>();

  run(key: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const forget = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  }
}
