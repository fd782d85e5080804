import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aarch64Code } from "./aarch64.ts";
import { assemble, type MachineCode, word } from "./machine-code.ts";
import { findCommand, isNative, openDirectory, processors, run } from "./testing/programs.ts";
import { x86_64Code } from "./x86-64.ts";

const start = 0x40_0078;
const encodedFlag = { padAddress: 0x40_1fe9, length: 4097 };

const cases = [
  { architecture: "x86-64", code: x86_64Code, options: ["-m", "i386:x86-64", "-M", "intel"] },
  { architecture: "aarch64", code: aarch64Code, options: ["-m", "aarch64"] },
] as const;

let directory: string;
beforeAll(() => {
  directory = openDirectory();
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.for(cases)("the code for $architecture", ({ architecture, code, options }) => {
  const objdump = findCommand(
    `${processors[architecture].tools}objdump`,
    ...(isNative(architecture) ? ["objdump"] : []),
  );

  test("means what stands beside each instruction", ({ skip }) => {
    if (objdump === undefined) skip(`there is no ${processors[architecture].tools}objdump here: install its binutils`);
    const file = join(directory, architecture);
    writeFileSync(file, assemble(code(encodedFlag)));
    const { stdout } = run([
      objdump ?? "",
      ...["-D", "-b", "binary", "--no-show-raw-insn", `--adjust-vma=${start}`],
      ...options,
      file,
    ]);
    expect(disassembled(stdout.toString())).toEqual(documented(code(encodedFlag)));
  });

  test("has the same size for every flag", () => {
    const shortest = assemble(code({ padAddress: 0, length: 0 }));
    expect(assemble(code(encodedFlag))).toHaveLength(shortest.length);
  });
});

test("a word stands with its low byte first", () => {
  expect(word(0x40_00b0)).toBe("b0 00 40 00");
  expect(word(0xd400_0001)).toBe("01 00 00 d4");
  expect(word(-1)).toBe("ff ff ff ff");
});

/** The table as `address: meaning`, with the address in the place of each label. */
function documented(code: MachineCode): string[] {
  let address = start;
  const labels = new Map<string, number>();
  const lines: [address: number, meaning: string][] = [];
  for (const [bytes, meaning] of code) {
    if (bytes === "") labels.set(meaning.replace(":", ""), address);
    else lines.push([address, meaning]);
    address += assemble([[bytes, meaning]]).length;
  }
  return lines.map(([at, meaning]) => `${at}: ${meaning.replace(/\w+$/, (word) => `${labels.get(word) ?? word}`)}`);
}

/** What objdump says, in the same form: numbers in decimal, and nothing that follows from the rest. */
function disassembled(output: string): string[] {
  return [...output.matchAll(/^ +([0-9a-f]+):\t(.*)$/gm)].map(([, address, text = ""]) => {
    const meaning = text
      .replace(/\s*\/\/.*$/, "")
      .replace(/BYTE PTR |\*1(?=[\]-])/g, "")
      .replace(/0x[0-9a-f]+/g, decimal)
      .replace(/\s+/g, " ")
      .trim();
    return `${Number(`0x${address}`)}: ${meaning}`;
  });
}

/** `0xfffffffc` is -4, and so is the same number in 64 bits. */
function decimal(hex: string): string {
  const width = hex.length === 10 ? 32 : 64;
  return BigInt.asIntN(width, BigInt(hex)).toString();
}
