import fc from "fast-check";
import { expect, test } from "vitest";
import { headerSize, planResource } from "./elf.ts";

const types = { load: 1, dynamic: 2, note: 4, table: 6, stack: 0x6474e551 };

interface Entry {
  type: keyof typeof types;
  offset?: number;
  address?: number;
  size?: number;
  sizeInMemory?: number;
}

/** As a linker lays a program out: the table, what is loaded, and then the rest. */
const usual: Entry[] = [
  { type: "table", offset: 64, address: 0x400040, size: 336 },
  { type: "load", offset: 0, address: 0x400000, size: 0x30000 },
  { type: "load", offset: 0x31000, address: 0x432000, size: 0x1234, sizeInMemory: 0x5000 },
  { type: "note", offset: 0x36c, address: 0x40036c, size: 0x44 },
  { type: "stack" },
];

function program(entries = usual, change: (header: Buffer) => void = () => {}): Buffer {
  const header = Buffer.alloc(headerSize);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeUInt16LE(2, 16);
  header.writeBigUInt64LE(64n, 32);
  header.writeBigUInt64LE(0x99999n, 40);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(entries.length, 56);
  header.writeUInt16LE(40, 60);
  header.writeUInt16LE(39, 62);
  for (const [index, { type, offset = 0, address = 0, size = 0, sizeInMemory = size }] of entries.entries()) {
    const at = 64 + index * 56;
    header.writeUInt32LE(types[type], at);
    const fields = [offset, address, address, size, sizeInMemory, 8];
    for (const [n, value] of fields.entries()) header.writeBigUInt64LE(BigInt(value), at + 8 + n * 8);
  }
  change(header);
  return header;
}

/** Reads what a kernel loads, and looks for the note as Node does. */
function load(header: Buffer, offset: number, resource: Uint8Array, name: string) {
  const entries = Array.from({ length: header.readUInt16LE(56) }, (_, index) => {
    const at = 64 + index * 56;
    const field = (n: number) => Number(header.readBigUInt64LE(at + 8 + n * 8));
    return {
      type: header.readUInt32LE(at),
      offset: field(0),
      address: field(1),
      size: field(3),
      sizeInMemory: field(4),
    };
  });
  const loaded = entries.filter(({ type }) => type === types.load);
  for (const note of entries.filter(({ type }) => type === types.note)) {
    const within = loaded.find(
      ({ address, sizeInMemory }) => note.address >= address && note.address < address + sizeInMemory,
    );
    if (!within || within.offset + note.address - within.address !== offset) continue;
    const bytes = Buffer.from(resource).subarray(0, note.sizeInMemory);
    const nameSize = bytes.readUInt32LE(0);
    const contentSize = bytes.readUInt32LE(4);
    const start = 12 + Math.ceil(nameSize / 4) * 4;
    if (bytes.toString("latin1", 12, 12 + nameSize) === `${name}\0`)
      return { loaded, content: bytes.subarray(start, start + contentSize) };
  }
  return { loaded, content: undefined };
}

test("whatever the resource is, it is loaded and found, behind all that was there", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 30 }).filter((name) => /^[A-Z_]+$/i.test(name)),
      fc.uint8Array({ maxLength: 200_000 }),
      fc.nat(0x100000),
      (name, content, size) => {
        const entries = usual.map((entry) =>
          entry.offset === 0x31000 ? { ...entry, size, sizeInMemory: size + 0x40000 } : entry,
        );
        const plan = planResource(program(entries), name, content);
        const { loaded, content: found } = load(Buffer.from(plan.header), plan.offset, plan.resource, name);
        expect(Buffer.compare(found ?? Buffer.alloc(1), content)).toBe(0);
        expect(plan.keep).toBe(Math.max(0x30000, 0x31000 + size));
        expect(plan.offset).toBeGreaterThanOrEqual(plan.keep);
        const [first, second, third] = loaded;
        expect(loaded).toHaveLength(3);
        // Kernels want them in this order, apart from each other, and at the same place in their pages as in the file.
        expect(third?.address).toBeGreaterThanOrEqual((second?.address ?? 0) + (second?.sizeInMemory ?? 0));
        expect(first?.address).toBeLessThan(second?.address ?? 0);
        expect((third?.address ?? 1) % 65_536).toBe((third?.offset ?? 0) % 65_536);
      },
    ),
  );
});

test("nothing else of the header changes but that the sections, which are cut off, are not told of", () => {
  const before = program();
  const { header } = planResource(before, "NAME", Buffer.from("content"));
  const after = Buffer.from(header);
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  const allowed = [
    { from: 40, to: 48 },
    { from: 60, to: 64 },
    { from: 64, to: 120 },
    { from: 232, to: 288 },
  ];
  expect(changed.filter((at) => !allowed.some(({ from, to }) => at >= from && at < to))).toEqual([]);
  expect([after.readBigUInt64LE(40), after.readUInt16LE(60), after.readUInt16LE(62)]).toEqual([0n, 0, 0]);
  expect([after.readUInt32LE(68), after.readUInt32LE(236)], "read only").toEqual([4, 4]);
});

const without = (type: Entry["type"]) => usual.filter((entry) => entry.type !== type);

test.each([
  {
    what: "no program at all",
    file: Buffer.alloc(headerSize, "#!/bin/sh\n"),
    want: "is not a 64-bit program of Linux",
  },
  {
    what: "a program of 32 bits",
    file: program(usual, (header) => header.writeUInt8(1, 4)),
    want: "is not a 64-bit program of Linux",
  },
  {
    what: "one that may be loaded anywhere",
    file: program(usual, (header) => header.writeUInt16LE(3, 16)),
    want: "is not linked to a fixed address",
  },
  { what: "one without a note", file: program(without("note")), want: "has no segments that can be spared" },
  {
    what: "one without the entry of its table",
    file: program(without("table")),
    want: "has no segments that can be spared",
  },
  { what: "one that loads nothing", file: program(without("load")), want: "has no segments that can be spared" },
  {
    what: "one whose note is before what is loaded",
    file: program(usual.toSorted((a, b) => types[b.type] - types[a.type])),
    want: "has no segments that can be spared",
  },
  {
    what: "one with more segments than the header has room for",
    file: program(usual, (header) => header.writeUInt16LE(999, 56)),
    want: "has its segments in no known form",
  },
])("$what is refused", ({ file, want }) => {
  expect(() => planResource(file, "NAME", Buffer.from("x"))).toThrow(want);
});
