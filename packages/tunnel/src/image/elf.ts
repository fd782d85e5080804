/**
 * Puts a resource into an executable file of Linux, where Node looks for its own: a note in a segment of notes. Pure.
 *
 * Nothing of the file moves. Two entries of its table of segments are given a new meaning: the one that says where the
 * table itself is, which a program at a fixed address has no use for, becomes the note; the old note, an id for
 * debuggers, becomes the segment that loads it. postject does the same by rebuilding the file, with 4 MB of code, 850 MB
 * of memory and 4 s; this takes a header's worth of bytes, and leaves out symbols and debug information (18 of 127 MB).
 */

const segmentTypes = { load: 1, note: 4, table: 6 } as const;
const fixedAddress = 2;
const readable = 4;
/** The largest page of any kernel that runs Node. */
const pageSize = 65_536;

/** As much of the beginning of a file as `plan` must see. */
export const headerSize = 4096;

export interface ResourcePlan {
  /** What of the file stays: all that is ever loaded. */
  keep: number;
  /** Where the resource goes: after that. */
  offset: number;
  /** What goes there. */
  resource: Uint8Array;
  /** The new beginning of the file. */
  header: Uint8Array;
}

interface Segment {
  /** Of its entry, in the header. */
  at: number;
  type: number;
  offset: number;
  address: number;
  sizeInFile: number;
  sizeInMemory: number;
}

/** Throws what is wrong with the file: `… is not …`, to be put after its name. */
export function planResource(before: Uint8Array, name: string, content: Uint8Array): ResourcePlan {
  const header = Buffer.from(before);
  if (header.toString("latin1", 0, 4) !== "\x7fELF" || header[4] !== 2 || header[5] !== 1) {
    throw new Error("is not a 64-bit program of Linux");
  }
  if (header.readUInt16LE(16) !== fixedAddress) throw new Error("is not linked to a fixed address");
  const segments = segmentsOf(header);
  const loaded = segments.filter(({ type }) => type === segmentTypes.load);
  const table = segments.find(({ type }) => type === segmentTypes.table);
  // What is loaded must be in the order of its addresses, so the new one comes after all others.
  const note = segments.findLast(({ type }) => type === segmentTypes.note);
  const last = loaded.at(-1);
  if (!table || !note || !last || note.at < last.at) throw new Error("has no segments that can be spared");
  const keep = Math.max(...loaded.map(({ offset, sizeInFile }) => offset + sizeInFile));
  const resource = noteOf(name, content);
  const offset = wholePages(keep);
  const address = wholePages(Math.max(...loaded.map((one) => one.address + one.sizeInMemory)));
  const place = { offset, address, sizeInFile: resource.length, sizeInMemory: resource.length };
  writeSegment(header, { ...place, at: table.at, type: segmentTypes.note }, 4);
  writeSegment(header, { ...place, at: note.at, type: segmentTypes.load }, pageSize);
  // The table of sections, at the end of the old file, is left out with what it tells of.
  header.writeBigUInt64LE(0n, 40);
  header.writeUInt16LE(0, 60);
  header.writeUInt16LE(0, 62);
  return { keep, offset, resource, header };
}

function segmentsOf(header: Buffer): Segment[] {
  const start = Number(header.readBigUInt64LE(32));
  const size = header.readUInt16LE(54);
  const count = header.readUInt16LE(56);
  if (size !== 56 || start + size * count > header.length) throw new Error("has its segments in no known form");
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size;
    const field = (where: number) => Number(header.readBigUInt64LE(at + where));
    return {
      at,
      type: header.readUInt32LE(at),
      offset: field(8),
      address: field(16),
      sizeInFile: field(32),
      sizeInMemory: field(40),
    };
  });
}

function writeSegment(header: Buffer, segment: Segment, alignment: number): void {
  const { at, type, offset, address, sizeInFile, sizeInMemory } = segment;
  header.writeUInt32LE(type, at);
  header.writeUInt32LE(readable, at + 4);
  // The address comes twice: the second is that of machines without virtual memory.
  const fields = [offset, address, address, sizeInFile, sizeInMemory, alignment];
  for (const [index, value] of fields.entries()) header.writeBigUInt64LE(BigInt(value), at + 8 + index * 8);
}

/** Sizes, then the name with its NUL, then the content; each begins at a multiple of four. */
function noteOf(name: string, content: Uint8Array): Uint8Array {
  const nameSize = Buffer.byteLength(name) + 1;
  const head = Buffer.alloc(12 + Math.ceil(nameSize / 4) * 4);
  head.writeUInt32LE(nameSize, 0);
  head.writeUInt32LE(content.length, 4);
  head.write(name, 12);
  return Buffer.concat([head, content]);
}

function wholePages(size: number): number {
  return Math.ceil(size / pageSize) * pageSize;
}
