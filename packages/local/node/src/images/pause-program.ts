/**
 * A program that waits until it is told to end, for the container that holds a pod together. It is written here byte
 * by byte, since neither a registry nor a compiler can be assumed.
 *
 * What the first process of a container gets of TERM and INT is nothing, unless it asks. So it blocks both and waits
 * for one to arrive, in three calls of the kernel: rt_sigprocmask, rt_sigtimedwait (again where another signal
 * interrupted it), exit.
 */

/** TERM and INT as the kernel wants them: a bit each. */
const signals = [0x02, 0x40, 0, 0, 0, 0, 0, 0];

const programs: Readonly<Record<string, { machine: number; code: readonly number[] }>> = {
  x86_64: {
    machine: 62,
    code: [
      ...[0xb8, 0x0e, 0, 0, 0], //                      mov eax, 14         rt_sigprocmask
      ...[0x31, 0xff], //                               xor edi, edi        SIG_BLOCK
      ...[0x48, 0x8d, 0x35, 0x27, 0, 0, 0], //          lea rsi, [signals]
      ...[0x31, 0xd2], //                               xor edx, edx
      ...[0x41, 0xba, 0x08, 0, 0, 0], //                mov r10d, 8
      ...[0x0f, 0x05], //                               syscall
      ...[0xb8, 0x80, 0, 0, 0], //              wait:   mov eax, 128        rt_sigtimedwait
      ...[0x48, 0x8d, 0x3d, 0x11, 0, 0, 0], //          lea rdi, [signals]
      ...[0x31, 0xf6], //                               xor esi, esi
      ...[0x0f, 0x05], //                               syscall
      ...[0x85, 0xc0], //                               test eax, eax
      ...[0x78, 0xec], //                               js wait
      ...[0xb8, 0x3c, 0, 0, 0], //                      mov eax, 60         exit
      ...[0x31, 0xff], //                               xor edi, edi
      ...[0x0f, 0x05], //                               syscall
      ...signals,
    ],
  },
  aarch64: {
    machine: 183,
    code: [
      ...word(0xd28010e8), //         mov x8, 135         rt_sigprocmask
      ...word(0xd2800000), //         mov x0, 0           SIG_BLOCK
      ...word(0x10000181), //         adr x1, signals
      ...word(0xd2800002), //         mov x2, 0
      ...word(0xd2800103), //         mov x3, 8
      ...word(0xd4000001), //         svc 0
      ...word(0xd2801128), // wait:   mov x8, 137         rt_sigtimedwait
      ...word(0x100000e0), //         adr x0, signals
      ...word(0xd2800001), //         mov x1, 0
      ...word(0xd4000001), //         svc 0
      ...word(0xb7ffff80), //         tbnz x0, 63, wait
      ...word(0xd2800ba8), //         mov x8, 93          exit
      ...word(0xd2800000), //         mov x0, 0
      ...word(0xd4000001), //         svc 0
      ...signals,
    ],
  },
};

/** A file that Linux starts: an ELF header, one segment that is the whole file, and the code. */
export function pauseProgram(architecture: string): Buffer {
  const program = programs[architecture];
  if (!program) {
    const known = Object.keys(programs).join(" and ");
    throw new Error(`cannot run pods on ${architecture || "an unnamed architecture"}: only ${known} are known`);
  }
  const headers = Buffer.alloc(headersSize);
  const size = BigInt(headersSize + program.code.length);
  Buffer.from("\x7fELF\x02\x01\x01", "latin1").copy(headers); // 64 bits, little-endian, version 1
  headers.writeUInt16LE(2, 16); // runs at a fixed address
  headers.writeUInt16LE(program.machine, 18);
  headers.writeUInt32LE(1, 20); // version
  headers.writeBigUInt64LE(loadAddress + BigInt(headersSize), 24); // where it starts
  headers.writeBigUInt64LE(BigInt(elfHeaderSize), 32); // where the segments are told
  headers.writeUInt16LE(elfHeaderSize, 52);
  headers.writeUInt16LE(headersSize - elfHeaderSize, 54);
  headers.writeUInt16LE(1, 56); // one segment:
  headers.writeUInt32LE(1, 64); // to be loaded
  headers.writeUInt32LE(5, 68); // to be read and run
  headers.writeBigUInt64LE(loadAddress, 80);
  headers.writeBigUInt64LE(loadAddress, 88);
  headers.writeBigUInt64LE(size, 96);
  headers.writeBigUInt64LE(size, 104);
  headers.writeBigUInt64LE(0x1_0000n, 112); // a multiple of every page size that Linux has
  return Buffer.concat([headers, Buffer.from(program.code)]);
}

const elfHeaderSize = 64;
const headersSize = elfHeaderSize + 56;
/** Above what vm.mmap_min_addr keeps free. */
const loadAddress = 0x40_0000n;

function word(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24];
}
