/**
 * A program that prints the flag and a line feed, and ends with 0, or with 1 where nobody takes what it prints.
 *
 * It is for challenges that are solved by running something. What keeps the flag from whoever cannot run it is the mode
 * 0111: a program that may not be read may not be traced or dumped either. The encoding only keeps the flag out of sight
 * of `strings` and `grep`.
 */
import { hkdfSync } from "node:crypto";
import { aarch64Code } from "./aarch64.ts";
import { elf, entryAddress, machines } from "./elf.ts";
import { flagBytes } from "./flag-bytes.ts";
import { assemble } from "./machine-code.ts";
import { x86_64Code } from "./x86-64.ts";

export type Architecture = "x86-64" | "aarch64";

const processors = {
  "x86-64": { machine: machines.x86_64, code: x86_64Code },
  aarch64: { machine: machines.aarch64, code: aarch64Code },
} as const;

/** `flagExecutable("flag{1}", "x86-64")`: the bytes of the program, the same on each call. */
export function flagExecutable(flag: string, architecture: Architecture): Buffer {
  const { machine, code } = processors[architecture];
  const text = Buffer.concat([flagBytes(flag), Buffer.from("\n")]);
  const length = text.length;

  // Derived, not random: a retry after a crash has to make the same file.
  const pad = Buffer.from(hkdfSync("sha256", flag, "", "berg flag executable", length));
  const encoded = text.map((byte, index) => byte ^ (pad[index] ?? 0));

  // The size of an instruction does not depend on the numbers in it.
  const codeSize = assemble(code({ padAddress: 0, length: 0 })).length;
  const program = assemble(code({ padAddress: entryAddress + codeSize, length }));
  return elf(machine, Buffer.concat([program, pad, encoded]));
}
