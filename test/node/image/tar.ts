/** Writes a tar archive (ustar) from a list of entries. As little of the format as an image layer needs. */

export type TarEntry = { path: string; mode: number; uid?: number; gid?: number } & (
  | { kind: "file"; bytes: Buffer }
  | { kind: "directory" }
  | { kind: "link"; target: string }
);

const blockSize = 512;
const longestPath = 100;
const typeFlags = { file: "0", link: "2", directory: "5" } as const;

/** `tar([{ kind: "file", path: "etc/motd", mode: 0o644, bytes }])` */
export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(2 * blockSize)]);
}

function blocksOf(entry: TarEntry): Buffer[] {
  const bytes = entry.kind === "file" ? entry.bytes : Buffer.alloc(0);
  return [header(entry, bytes.length), bytes, Buffer.alloc(-bytes.length & (blockSize - 1))];
}

function header(entry: TarEntry, size: number): Buffer {
  const target = entry.kind === "link" ? entry.target : "";
  for (const name of [entry.path, target]) {
    if (Buffer.byteLength(name) > longestPath) {
      throw new Error(`cannot put ${JSON.stringify(name)} into an image: it has more than ${longestPath} bytes`);
    }
  }
  const block = Buffer.alloc(blockSize);
  block.write(entry.path, 0);
  block.write(octal(entry.mode, 8), 100);
  block.write(octal(entry.uid ?? 0, 8), 108);
  block.write(octal(entry.gid ?? 0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(typeFlags[entry.kind], 156);
  block.write(target, 157);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}

/** A field of `width` bytes: octal digits, and a NUL that the block has already. */
function octal(value: number, width: number): string {
  return value.toString(8).padStart(width - 1, "0");
}
