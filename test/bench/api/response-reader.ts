/** Finds the end of each HTTP/1.1 response on a connection. Parses only what that takes, so that the client costs little. */

const endOfHead = Buffer.from("\r\n\r\n");

export interface ReadResponse {
  status: number;
  body: Buffer;
}

export class ResponseReader {
  #received: Buffer = Buffer.alloc(0);
  #head: { status: number; length: number } | undefined;

  /** Returns the response once it is complete. One request at a time: nothing follows it. */
  add(chunk: Buffer): ReadResponse | undefined {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (!this.#head) {
      const end = this.#received.indexOf(endOfHead);
      if (end < 0) return undefined;
      this.#head = readHead(this.#received.toString("latin1", 0, end));
      this.#received = this.#received.subarray(end + endOfHead.length);
    }
    const { status, length } = this.#head;
    if (this.#received.length < length) return undefined;
    const body = this.#received;
    this.#received = Buffer.alloc(0);
    this.#head = undefined;
    return { status, body };
  }
}

function readHead(head: string): { status: number; length: number } {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? (status === 204 ? 0 : Number.NaN));
  if (Number.isNaN(status + length)) throw new Error(`cannot read a response without a content-length: ${head}`);
  return { status, length };
}
