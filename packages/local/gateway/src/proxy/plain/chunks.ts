/** Follows a body in chunks (RFC 9112, 7.1), however it is cut, to know where it ends; trailers belong to it. */

const [cr, lf] = [13, 10];
/** Of a line: the size of a chunk with its extensions, or a trailer. */
const longestLine = 16 * 1024;
const sizeLine = /^([0-9a-f]{1,12})[ \t]*(;[\t\x20-\x7e\x80-\xff]*)?$/i;
const trailerLine = /^[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*$/;

export class BrokenChunks extends Error {
  constructor() {
    super("the chunks of an answer cannot be understood");
    this.name = "BrokenChunks";
  }
}

export class ChunkReader {
  /** What comes next. */
  #next: "size" | "data" | "end-of-data" | "trailer" | "nothing" = "size";
  /** Of the chunk's data. */
  #left = 0;
  /** Of a line that is not all there. */
  #line = "";

  get done(): boolean {
    return this.#next === "nothing";
  }

  /** How many of these bytes belong to the body. Throws where they cannot be understood. */
  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#next !== "nothing") {
      if (this.#next === "data") {
        const taken = Math.min(bytes.length - at, this.#left);
        this.#left -= taken;
        at += taken;
        if (this.#left === 0) this.#next = "end-of-data";
      } else at = this.#takeLine(bytes, at);
    }
    return at;
  }

  #takeLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(lf, from);
    this.#line += bytes.toString("latin1", from, end < 0 ? bytes.length : end + 1);
    if (this.#line.length > longestLine) throw new BrokenChunks();
    if (end < 0) return bytes.length;
    if (this.#line.charCodeAt(this.#line.length - 2) !== cr) throw new BrokenChunks();
    const line = this.#line.slice(0, -2);
    this.#line = "";
    this.#lineDone(line);
    return end + 1;
  }

  #lineDone(line: string): void {
    if (this.#next === "end-of-data") {
      if (line !== "") throw new BrokenChunks();
      this.#next = "size";
    } else if (this.#next === "size") {
      const size = sizeLine.exec(line)?.[1];
      if (size === undefined) throw new BrokenChunks();
      this.#left = Number.parseInt(size, 16);
      this.#next = this.#left > 0 ? "data" : "trailer";
    } else if (line === "") this.#next = "nothing";
    else if (!trailerLine.test(line)) throw new BrokenChunks();
  }
}
