/**
 * The first bytes of a data connection, by which each side knows the other.
 *
 *   server proxy → client proxy   preamble   version u8 | session u32 | number u64 | MAC
 *   client proxy → server proxy   header     tunnel u32 | stream u64 | MAC, and at once the client's own bytes
 *
 * The preamble says "I am the server proxy of this session". It is good for one connection: its number is never taken
 * twice. The header says which stream the connection carries from now on; its MAC holds for this connection alone, and
 * the word in front of what is signed keeps one from being taken for the other. Numbers are big-endian.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Session } from "./contract.ts";

const version = 1;
const macLength = 32;
const preambleBody = 13;
const headerBody = 12;
export const preambleLength = preambleBody + macLength;
export const headerLength = headerBody + macLength;

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
  mac(connection.session, "server", bytes.subarray(0, preambleBody)).copy(bytes, preambleBody);
  return bytes;
}

/**
 * The number of the connection; or why it is none of this session, for the log. Whether the number was used before is
 * for the caller to say: what a wrong MAC claims must not use it up.
 */
export function readPreamble(bytes: Buffer, session: SessionKey | undefined): number | string {
  if (bytes.readUInt8(0) !== version) return "it speaks another version, or something else";
  if (bytes.readUInt32BE(1) !== session?.id) return "its session is not the present one";
  const expected = mac(session, "server", bytes.subarray(0, preambleBody));
  if (!timingSafeEqual(expected, bytes.subarray(preambleBody, preambleLength))) return "it does not know the key";
  return Number(bytes.readBigUInt64BE(5));
}

export function printHeader(connection: Connection, { tunnelId, streamId }: StreamName): Buffer {
  const bytes = Buffer.allocUnsafe(headerLength);
  bytes.writeUInt32BE(tunnelId, 0);
  bytes.writeBigUInt64BE(streamId, 4);
  headerMac(connection, bytes).copy(bytes, headerBody);
  return bytes;
}

/** Nothing where it was not made for this connection. */
export function readHeader(bytes: Buffer, connection: Connection): StreamName | undefined {
  const isOurs = timingSafeEqual(headerMac(connection, bytes), bytes.subarray(headerBody, headerLength));
  return isOurs ? { tunnelId: bytes.readUInt32BE(0), streamId: bytes.readBigUInt64BE(4) } : undefined;
}

function headerMac(connection: Connection, bytes: Buffer): Buffer {
  const signed = Buffer.allocUnsafe(12 + headerBody);
  writeConnection(connection, signed, 0);
  bytes.copy(signed, 12, 0, headerBody);
  return mac(connection.session, "client", signed);
}

function writeConnection({ session, number }: Connection, bytes: Buffer, at: number): void {
  bytes.writeUInt32BE(session.id, at);
  bytes.writeBigUInt64BE(BigInt(number), at + 4);
}

function mac({ key }: SessionKey, side: "server" | "client", bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(side).update(bytes).digest();
}
