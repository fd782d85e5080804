/** One instruction: its bytes in hex, as they stand in memory, and what they mean. A label has no bytes. */
export type Instruction = readonly [bytes: string, meaning: string];

export type MachineCode = readonly Instruction[];

/**
 * What the program of one processor needs to know. `padAddress` is where the encoded flag begins: `length` bytes of
 * pad, then `length` bytes that give the text when they are combined with the pad by exclusive or.
 */
export interface EncodedFlag {
  padAddress: number;
  length: number;
}

export function assemble(code: MachineCode): Buffer {
  return Buffer.from(code.map(([bytes]) => bytes.replaceAll(" ", "")).join(""), "hex");
}

/** `word(0x40_00b0)` is `"b0 00 40 00"`: 32 bits as both processors keep them in memory. */
export function word(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes.toString("hex").replace(/..(?!$)/g, "$& ");
}
