/** DNS messages (RFC 1035): as much as one question for an address and its answer take. */

export interface Question {
  readonly id: number;
  /** Lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  readonly recursionDesired: boolean;
  /** As it came, to be repeated in the answer. */
  readonly bytes: Buffer;
}

/** IPv4 addresses of a name that exists, maybe none; or undefined for a name that does not. */
export type Addresses = readonly string[] | undefined;

const headerSize = 12;
const typeA = 1;
const classInternet = 1;
const nameNotFound = 3;
const timeToLive = 1;

/** Undefined for what is not one plain question. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerSize || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  if (flags & 0xf800) return undefined;
  const labels: string[] = [];
  let at = headerSize;
  for (let length = message[at]; length; length = message[at]) {
    const end = at + 1 + length;
    if (length > 63 || end >= message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, end).toLowerCase());
    at = end;
  }
  const end = at + 5;
  if (end > message.length) return undefined;
  return {
    id: message.readUInt16BE(0),
    name: labels.join("."),
    type: message.readUInt16BE(at + 1),
    recursionDesired: (flags & 0x0100) !== 0,
    bytes: message.subarray(headerSize, end),
  };
}

/** A question for anything but an IPv4 address is answered with "exists, has none", so that nobody asks elsewhere. */
export function answer(question: Question, addresses: Addresses): Buffer {
  const records = question.type === typeA ? (addresses ?? []) : [];
  const header = Buffer.alloc(headerSize);
  header.writeUInt16BE(question.id, 0);
  const authoritative = 0x8400 | (question.recursionDesired ? 0x0100 : 0) | 0x0080;
  header.writeUInt16BE(authoritative | (addresses === undefined ? nameNotFound : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.bytes, ...records.map(record)]);
}

function record(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(0xc000 | headerSize, 0);
  bytes.writeUInt16BE(typeA, 2);
  bytes.writeUInt16BE(classInternet, 4);
  bytes.writeUInt32BE(timeToLive, 6);
  bytes.writeUInt16BE(4, 10);
  bytes.set(address.split(".").map(Number), 12);
  return bytes;
}
