/**
 * The program that prints the flag, for x86-64. `meaning` is what a disassembler says (Intel syntax).
 *
 * The segment that holds it cannot be written, so the flag is decoded onto the stack. rbp is the next byte to write,
 * rbx how many are left: a system call keeps both.
 */
import { type EncodedFlag, type MachineCode, word } from "./machine-code.ts";

export function x86_64Code({ padAddress, length }: EncodedFlag): MachineCode {
  return [
    [`be ${word(padAddress)}`, `mov esi,${padAddress}`],
    [`bb ${word(length)}`, `mov ebx,${length}`],
    ["48 8d 14 1e", "lea rdx,[rsi+rbx]"],
    ["48 29 dc", "sub rsp,rbx"],
    ["89 d9", "mov ecx,ebx"],

    // From the last byte to the first: text = pad ^ encoded.
    ["", "decode:"],
    ["8a 44 0e ff", "mov al,[rsi+rcx-1]"],
    ["32 44 0a ff", "xor al,[rdx+rcx-1]"],
    ["88 44 0c ff", "mov [rsp+rcx-1],al"],
    ["e2 f2", "loop decode"],
    ["48 89 e5", "mov rbp,rsp"],

    // write(1, rbp, rbx), until nothing is left: a pipe may take less than it is given.
    ["", "write:"],
    ["b8 01 00 00 00", "mov eax,1"],
    ["bf 01 00 00 00", "mov edi,1"],
    ["48 89 ee", "mov rsi,rbp"],
    ["89 da", "mov edx,ebx"],
    ["0f 05", "syscall"],
    ["48 83 f8 fc", "cmp rax,-4"], // EINTR
    ["74 23", "je wait"],
    ["48 83 f8 f5", "cmp rax,-11"], // EAGAIN
    ["74 1d", "je wait"],
    ["48 85 c0", "test rax,rax"],
    ["7e 11", "jle fail"],
    ["48 01 c5", "add rbp,rax"],
    ["48 29 c3", "sub rbx,rax"],
    ["75 d6", "jne write"],
    ["31 ff", "xor edi,edi"],

    // exit_group(edi)
    ["", "exit:"],
    ["b8 e7 00 00 00", "mov eax,231"],
    ["0f 05", "syscall"],

    ["", "fail:"],
    ["bf 01 00 00 00", "mov edi,1"],
    ["eb f2", "jmp exit"],

    // poll({ fd: 1, events: POLLOUT }, 1, -1): whoever started us may have made standard output non-blocking. What poll
    // answers does not matter, as the next write tells.
    ["", "wait:"],
    ["48 b8 01 00 00 00 04 00 00 00", "movabs rax,17179869185"],
    ["50", "push rax"],
    ["48 89 e7", "mov rdi,rsp"],
    ["be 01 00 00 00", "mov esi,1"],
    ["ba ff ff ff ff", "mov edx,-1"],
    ["b8 07 00 00 00", "mov eax,7"],
    ["0f 05", "syscall"],
    ["58", "pop rax"],
    ["eb a4", "jmp write"],
  ];
}
