/**
 * Reads the server name from the first bytes of a TLS connection (RFC 8446, 4.1.2; RFC 6066, 3) without answering them.
 * They may come in pieces cut anywhere, in several records, and from anybody: nothing here trusts a length.
 */

export type Hello =
  /** Ask again when there are so many bytes: with fewer there is nothing new to be seen. */
  | { readonly state: "incomplete"; readonly needs: number }
  | { readonly state: "complete"; readonly serverName: string | undefined }
  | { readonly state: "not-tls" };

const notTls: Hello = { state: "not-tls" };

const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const hostNameType = 0;
/** More than any client sends, a post-quantum key share included. */
const longestHello = 65_536;
const longestRecord = 2 ** 14 + 256;
/** The longest hello in records of 4 KiB each; one a byte would be a lot of work. */
const mostRecords = 16;

export function readClientHello(bytes: Buffer): Hello {
  const handshake = handshakeIn(bytes);
  if (handshake === undefined) return notTls;
  const { message, needs } = handshake;
  if (message.length > 0 && message[0] !== clientHello) return notTls;
  if (message.length < 4) return { state: "incomplete", needs };
  const length = message.readUIntBE(1, 3);
  if (length > longestHello) return notTls;
  if (message.length < 4 + length) return { state: "incomplete", needs };
  const serverName = serverNameIn(new Reader(message.subarray(4, 4 + length)));
  return serverName === false ? notTls : { state: "complete", serverName };
}

interface Handshake {
  /** What the records hold, put together. */
  readonly message: Buffer;
  /** How many bytes there are with the rest of a record, or with the beginning of the next. */
  readonly needs: number;
}

/** Undefined where something else than handshake records is among them, or there are too many. */
function handshakeIn(bytes: Buffer): Handshake | undefined {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== handshakeRecord) {
      if (!isWhole(parts)) return undefined;
      break;
    }
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return undefined;
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > longestRecord || parts.length === mostRecords) return undefined;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return { message: Buffer.concat(parts), needs: at > bytes.length ? at : at + 5 };
}

/** Early data may follow a ClientHello that is all there. */
function isWhole(parts: readonly Buffer[]): boolean {
  const message = Buffer.concat(parts);
  return message.length >= 4 && message.length >= 4 + message.readUIntBE(1, 3);
}

/** Undefined where the client names none, false where this is no ClientHello. */
function serverNameIn(hello: Reader): string | undefined | false {
  hello.skip(2 + 32);
  hello.block(1);
  hello.block(2);
  hello.block(1);
  if (hello.failed) return false;
  if (hello.atEnd) return undefined;
  const extensions = new Reader(hello.block(2));
  while (!extensions.atEnd && !extensions.failed) {
    const type = extensions.number(2);
    const body = extensions.block(2);
    if (type === serverNameExtension && !extensions.failed) return nameIn(new Reader(body));
  }
  return hello.failed || extensions.failed ? false : undefined;
}

function nameIn(extension: Reader): string | undefined | false {
  const names = new Reader(extension.block(2));
  const type = names.number(1);
  const name = names.block(2).toString("latin1");
  if (extension.failed || names.failed || type !== hostNameType) return false;
  return /^[A-Za-z0-9_.-]{1,255}$/.test(name) ? name.toLowerCase().replace(/\.$/, "") : false;
}

/** Reads on and on; past the end it reads nothing and says so in `failed`. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  failed = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(count: number): void {
    this.#take(count);
  }

  number(size: 1 | 2): number {
    const bytes = this.#take(size);
    return bytes.length === size ? bytes.readUIntBE(0, size) : 0;
  }

  /** Bytes with their length before them, in a number of this size. */
  block(size: 1 | 2): Buffer {
    return this.#take(this.number(size));
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (this.failed || end > this.#bytes.length) {
      this.failed = true;
      return Buffer.alloc(0);
    }
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
