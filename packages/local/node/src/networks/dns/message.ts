/** DNS messages (RFC 1035, and the size of RFC 6891): as much as one question and its answer take. */

export interface Question {
  readonly id: number;
  /** Lower case. */
  readonly labels: readonly string[];
  readonly type: number;
  readonly recursionDesired: boolean;
  /** How long an answer over UDP may be. */
  readonly maxSize: number;
  readonly hasExtension: boolean;
  /** As it came, to be repeated in the answer. */
  readonly bytes: Buffer;
}

export const recordTypes = { A: 1, CNAME: 5, SOA: 6, PTR: 12, AAAA: 28, SRV: 33, OPT: 41, ANY: 255 } as const;
export const responseCodes = { noError: 0, serverFailure: 2, noSuchName: 3, refused: 5 } as const;

/** One line of an answer. Names are lower case and without the last dot. */
export type DnsRecord = { readonly name: string } & (
  | { readonly type: "A"; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly target: string }
  | { readonly type: "SRV"; readonly port: number; readonly weight: number; readonly target: string }
);

export interface Reply {
  readonly code: number;
  readonly answers: readonly DnsRecord[];
  /** What a reader of the answers will ask next. */
  readonly additional?: readonly DnsRecord[];
  /** The zone that says so, for those who remember what is not there. */
  readonly zone?: string;
}

const headerSize = 12;
const classInternet = 1;
const plainSize = 512;
/** Fits into one packet nearly everywhere. */
const ourSize = 1232;
const truncated = 0x0200;
/** As short as CoreDNS's: pods come and go. */
export const timeToLive = 5;

/** Undefined for what is not one plain question. */
export function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerSize || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  if (flags & 0xf800) return undefined;
  const labels: string[] = [];
  let at = headerSize;
  for (let length = message[at]; length; length = message[at]) {
    const end = at + 1 + length;
    if (length > 63 || end >= message.length || end - headerSize > 254) return undefined;
    labels.push(message.toString("latin1", at + 1, end).toLowerCase());
    at = end;
  }
  const end = at + 5;
  if (end > message.length || message.readUInt16BE(at + 3) !== classInternet) return undefined;
  const extension = message.readUInt16BE(10) > 0 ? extensionSize(message, end) : undefined;
  return {
    id: message.readUInt16BE(0),
    labels,
    type: message.readUInt16BE(at + 1),
    recursionDesired: (flags & 0x0100) !== 0,
    maxSize: Math.min(Math.max(extension ?? plainSize, plainSize), ourSize),
    hasExtension: extension !== undefined,
    bytes: message.subarray(headerSize, end),
  };
}

/** What the asker can take, if it says so right after its question. */
function extensionSize(message: Buffer, at: number): number | undefined {
  if (message.length < at + 11 || message[at] !== 0 || message.readUInt16BE(at + 1) !== recordTypes.OPT)
    return undefined;
  return message.readUInt16BE(at + 3);
}

/** `maxSize`: of the way it goes; one that is longer says so and is asked for again over TCP. */
export function writeReply(question: Question, reply: Reply, maxSize = question.maxSize): Buffer {
  const whole = assemble(question, reply, 0);
  return whole.length <= maxSize ? whole : assemble(question, { code: reply.code, answers: [] }, truncated);
}

function assemble(question: Question, { code, answers, additional = [], zone }: Reply, flags: number): Buffer {
  const authorities = zone !== undefined && answers.length === 0 ? [startOfAuthority(zone)] : [];
  const extras = additional.map(writeRecord);
  if (question.hasExtension) extras.push(extension);
  const header = Buffer.alloc(headerSize);
  header.writeUInt16BE(question.id, 0);
  const isOurs = zone !== undefined ? 0x0400 : 0;
  header.writeUInt16BE(0x8080 | isOurs | (question.recursionDesired ? 0x0100 : 0) | flags | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  header.writeUInt16BE(authorities.length, 8);
  header.writeUInt16BE(extras.length, 10);
  return Buffer.concat([header, question.bytes, ...answers.map(writeRecord), ...authorities, ...extras]);
}

const extension = Buffer.from([0, 0, recordTypes.OPT, ourSize >> 8, ourSize & 0xff, 0, 0, 0, 0, 0, 0]);

function writeRecord(record: DnsRecord): Buffer {
  return resourceRecord(record.name, recordTypes[record.type], recordData(record));
}

function recordData(record: DnsRecord): Buffer {
  switch (record.type) {
    case "A":
      return Buffer.from(record.address.split(".").map(Number));
    case "CNAME":
    case "PTR":
      return writeName(record.target);
    case "SRV":
      return Buffer.concat([sixteenBits(0, record.weight, record.port), writeName(record.target)]);
  }
}

function startOfAuthority(zone: string): Buffer {
  const times = Buffer.alloc(20);
  for (const [i, value] of [1, 7200, 1800, 86_400, timeToLive].entries()) times.writeUInt32BE(value, i * 4);
  return resourceRecord(
    zone,
    recordTypes.SOA,
    Buffer.concat([writeName(`ns.dns.${zone}`), writeName(`hostmaster.${zone}`), times]),
  );
}

function resourceRecord(name: string, type: number, data: Buffer): Buffer {
  const times = Buffer.alloc(4);
  times.writeUInt32BE(timeToLive);
  return Buffer.concat([writeName(name), sixteenBits(type, classInternet), times, sixteenBits(data.length), data]);
}

function writeName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]),
    end,
  ]);
}

const end = Buffer.from([0]);

function sixteenBits(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeUInt16BE(value, i * 2);
  return bytes;
}
