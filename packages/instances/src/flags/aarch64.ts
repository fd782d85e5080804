/**
 * The program that prints the flag, for aarch64: step by step the one in x86-64.ts. `meaning` is what a disassembler
 * says.
 *
 * x20 is the next byte to write, x19 how many are left. The stack pointer has to stay a multiple of 16.
 */
import { type EncodedFlag, type MachineCode, word } from "./machine-code.ts";

export function aarch64Code({ padAddress, length }: EncodedFlag): MachineCode {
  const low = padAddress & 0xffff;
  const high = padAddress >>> 16;
  return [
    [word(0x52800001 | (low << 5)), `mov w1, #${low}`],
    [word(0x72a00001 | (high << 5)), `movk w1, #${high}, lsl #16`],
    [word(0x52800013 | (length << 5)), `mov w19, #${length}`],
    [word(0x8b130022), "add x2, x1, x19"],
    [word(0xcb3363f4), "sub x20, sp, x19"],
    [word(0x927cee9f), "and sp, x20, #-16"],
    [word(0xaa1303e3), "mov x3, x19"],

    // From the last byte to the first: text = pad ^ encoded.
    ["", "decode:"],
    [word(0xd1000463), "sub x3, x3, #1"],
    [word(0x38636824), "ldrb w4, [x1, x3]"],
    [word(0x38636845), "ldrb w5, [x2, x3]"],
    [word(0x4a050084), "eor w4, w4, w5"],
    [word(0x38236a84), "strb w4, [x20, x3]"],
    [word(0xb5ffff63), "cbnz x3, decode"],

    // write(1, x20, x19), until nothing is left.
    ["", "write:"],
    [word(0x52800020), "mov w0, #1"],
    [word(0xaa1403e1), "mov x1, x20"],
    [word(0xaa1303e2), "mov x2, x19"],
    [word(0x52800808), "mov w8, #64"],
    [word(0xd4000001), "svc #0"],
    [word(0xb100101f), "cmn x0, #4"], // EINTR
    [word(0x540001a0), "b.eq wait"],
    [word(0xb1002c1f), "cmn x0, #11"], // EAGAIN
    [word(0x54000160), "b.eq wait"],
    [word(0xf100001f), "cmp x0, #0"],
    [word(0x540000ed), "b.le fail"],
    [word(0x8b000294), "add x20, x20, x0"],
    [word(0xeb000273), "subs x19, x19, x0"],
    [word(0x54fffe61), "b.ne write"],
    [word(0x52800000), "mov w0, #0"],

    // exit_group(w0)
    ["", "exit:"],
    [word(0x52800bc8), "mov w8, #94"],
    [word(0xd4000001), "svc #0"],

    ["", "fail:"],
    [word(0x52800020), "mov w0, #1"],
    [word(0x17fffffd), "b exit"],

    // ppoll({ fd: 1, events: POLLOUT }, 1, no timeout, no signal mask)
    ["", "wait:"],
    [word(0xd2800024), "mov x4, #1"],
    [word(0xf2c00084), "movk x4, #4, lsl #32"],
    [word(0xf81f0fe4), "str x4, [sp, #-16]!"],
    [word(0x910003e0), "mov x0, sp"],
    [word(0x52800021), "mov w1, #1"],
    [word(0xd2800002), "mov x2, #0"],
    [word(0xd2800003), "mov x3, #0"],
    [word(0x52800928), "mov w8, #73"],
    [word(0xd4000001), "svc #0"],
    [word(0x910043ff), "add sp, sp, #16"],
    [word(0x17ffffe3), "b write"],
  ];
}
