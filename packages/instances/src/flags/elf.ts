/** The smallest file that Linux starts as a program: an ELF header and one segment, which is the whole file. */

/** Above what vm.mmap_min_addr keeps free, and a multiple of every page size that Linux has (4, 16 and 64 KiB). */
const loadAddress = 0x40_0000;
const largestPage = 0x1_0000;

const elfHeaderSize = 64;
const programHeaderSize = 56;
const headersSize = elfHeaderSize + programHeaderSize;

/** The numbers by which ELF knows processors (e_machine). */
export const machines = { x86_64: 62, aarch64: 183 } as const;

/** Where the first byte after the headers stands in memory, and where the program starts. */
export const entryAddress = loadAddress + headersSize;

/** A program whose memory can be read and run, never written. It has no sections and no symbols. */
export function elf(machine: number, body: Buffer): Buffer {
  const headers = Buffer.alloc(headersSize);
  const fileSize = BigInt(headersSize + body.length);

  Buffer.from("\x7fELF", "latin1").copy(headers);
  headers.writeUInt8(2, 4); // 64 bits
  headers.writeUInt8(1, 5); // little-endian
  headers.writeUInt8(1, 6); // version of ELF
  headers.writeUInt16LE(2, 16); // e_type: runs at a fixed address
  headers.writeUInt16LE(machine, 18);
  headers.writeUInt32LE(1, 20); // e_version
  headers.writeBigUInt64LE(BigInt(entryAddress), 24);
  headers.writeBigUInt64LE(BigInt(elfHeaderSize), 32); // e_phoff: the program header comes next
  headers.writeUInt16LE(elfHeaderSize, 52);
  headers.writeUInt16LE(programHeaderSize, 54);
  headers.writeUInt16LE(1, 56); // e_phnum

  headers.writeUInt32LE(1, 64); // p_type: load
  headers.writeUInt32LE(5, 68); // p_flags: read, run
  headers.writeBigUInt64LE(0n, 72); // p_offset
  headers.writeBigUInt64LE(BigInt(loadAddress), 80); // p_vaddr
  headers.writeBigUInt64LE(BigInt(loadAddress), 88); // p_paddr
  headers.writeBigUInt64LE(fileSize, 96); // p_filesz
  headers.writeBigUInt64LE(fileSize, 104); // p_memsz
  headers.writeBigUInt64LE(BigInt(largestPage), 112); // p_align

  return Buffer.concat([headers, body]);
}
