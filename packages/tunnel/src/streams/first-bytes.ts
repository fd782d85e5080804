/** The first bytes of a connection, so many as were asked for, however they are cut into pieces on their way. */
export class FirstBytes {
  readonly #length: number;
  #have: Buffer | undefined;

  constructor(length: number) {
    this.#length = length;
  }

  /** Once they are all there: they, and what came with the last of them. */
  add(piece: Buffer): { first: Buffer; rest: Buffer } | undefined {
    const have = this.#have ? Buffer.concat([this.#have, piece]) : piece;
    if (have.length >= this.#length)
      return { first: have.subarray(0, this.#length), rest: have.subarray(this.#length) };
    this.#have = have;
    return undefined;
  }
}
