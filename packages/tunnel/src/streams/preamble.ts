/**
 * The words by which each side of a data connection knows the other.
 *
 *   server proxy → client proxy   preamble, once             version u8 | session u32 | number u64 | MAC
 *   client proxy → server proxy   header, for each stream    tunnel u32 | stream u64 | token, and at once the client's own bytes
 *
 * The preamble says "I am the server proxy of this session". It is good for one connection: its number is never taken
 * twice. The header says which stream the connection carries until that ends. Its token is good for one stream: the next
 * in a row that only the two sides of this connection can tell. The word in front of what is signed keeps one from being
 * taken for the other. Numbers are big-endian.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Session } from "./contract.ts";

const version = 1;
const macLength = 32;
const preambleBody = 13;
const headerBody = 12;
const tokenLength = 16;
export const preambleLength = preambleBody + macLength;
export const headerLength = headerBody + tokenLength;

/** A session whose key is made ready for use, which costs more than a use of it. */
export interface SessionKey {
  readonly id: number;
  readonly key: KeyObject;
}

/** What names a data connection. */
export interface Connection {
  readonly session: SessionKey;
  readonly number: number;
}

export interface StreamName {
  readonly tunnelId: number;
  readonly streamId: bigint;
}

export function sessionKey({ id, key }: Session): SessionKey {
  if (key.length !== 32) throw new RangeError(`the key of a session has 32 bytes, not ${key.length}`);
  return { id, key: createSecretKey(key) };
}

export function printPreamble(connection: Connection): Buffer {
  const bytes = Buffer.allocUnsafe(preambleLength);
  bytes.writeUInt8(version, 0);
  writeConnection(connection, bytes, 1);
  mac(connection.session, bytes.subarray(0, preambleBody)).copy(bytes, preambleBody);
  return bytes;
}

/**
 * The number of the connection; or why it is none of this session, for the log. Whether the number was used before is
 * for the caller to say: what a wrong MAC claims must not use it up.
 */
export function readPreamble(bytes: Buffer, session: SessionKey | undefined): number | string {
  if (bytes.readUInt8(0) !== version) return "it speaks another version, or something else";
  if (bytes.readUInt32BE(1) !== session?.id) return "its session is not the present one";
  const expected = mac(session, bytes.subarray(0, preambleBody));
  if (!timingSafeEqual(expected, bytes.subarray(preambleBody, preambleLength))) return "it does not know the key";
  return Number(bytes.readBigUInt64BE(5));
}

/** The tokens of one connection, in their order. One signature is good for four of them: it is what they cost. */
export class StreamTokens {
  readonly #connection: Connection;
  #block: Buffer = Buffer.alloc(0);
  #blocks = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  next(): Buffer {
    if (this.#block.length === 0) this.#block = this.#sign();
    const token = this.#block.subarray(0, tokenLength);
    this.#block = this.#block.subarray(tokenLength);
    return token;
  }

  #sign(): Buffer {
    const signed = Buffer.allocUnsafe(16);
    writeConnection(this.#connection, signed, 0);
    signed.writeUInt32BE(this.#blocks++, 12);
    return createHmac("sha512", this.#connection.session.key).update("client").update(signed).digest();
  }
}

export function printHeader(tokens: StreamTokens, { tunnelId, streamId }: StreamName): Buffer {
  const bytes = Buffer.allocUnsafe(headerLength);
  bytes.writeUInt32BE(tunnelId, 0);
  bytes.writeBigUInt64BE(streamId, 4);
  tokens.next().copy(bytes, headerBody);
  return bytes;
}

/** Nothing where it is not the next of this connection. */
export function readHeader(bytes: Buffer, tokens: StreamTokens): StreamName | undefined {
  const isOurs = timingSafeEqual(tokens.next(), bytes.subarray(headerBody, headerLength));
  return isOurs ? { tunnelId: bytes.readUInt32BE(0), streamId: bytes.readBigUInt64BE(4) } : undefined;
}

function writeConnection({ session, number }: Connection, bytes: Buffer, at: number): void {
  bytes.writeUInt32BE(session.id, at);
  bytes.writeBigUInt64BE(BigInt(number), at + 4);
}

function mac({ key }: SessionKey, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update("server").update(bytes).digest();
}
