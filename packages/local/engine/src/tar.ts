/**
 * Writes a tar archive from a list of entries: ustar, and where a name or a size has no room in that, a pax header
 * before it. As little of the format as an image needs; no times, so that the same files make the same image.
 */

export type TarEntry = { path: string; mode: number; uid?: number; gid?: number } & (
  | { kind: "file"; bytes: Uint8Array }
  | { kind: "directory" }
  | { kind: "link"; target: string }
);

const blockSize = 512;
const nameRoom = 100;
const largestInHeader = 8 ** 7 - 1;
const typeFlags = { file: "0", link: "2", directory: "5", pax: "x" } as const;

/** `tar([{ kind: "file", path: "etc/motd", mode: 0o644, bytes }])` */
export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat(tarParts(entries));
}

/** The same, in parts that are large files themselves and no copies of them. */
export function tarParts(entries: readonly TarEntry[]): Uint8Array[] {
  return [...entries.flatMap(blocksOf), Buffer.alloc(2 * blockSize)];
}

interface Header {
  type: keyof typeof typeFlags;
  path: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  target: string;
}

function blocksOf(entry: TarEntry): Uint8Array[] {
  const bytes = entry.kind === "file" ? entry.bytes : new Uint8Array();
  const header: Header = {
    type: entry.kind,
    path: entry.path,
    mode: entry.mode,
    uid: entry.uid ?? 0,
    gid: entry.gid ?? 0,
    size: bytes.length,
    target: entry.kind === "link" ? entry.target : "",
  };
  for (const name of [header.path, header.target]) {
    if (name.includes("\0")) throw new Error(`cannot put ${JSON.stringify(name)} into an archive: it has a NUL`);
  }
  return [...paxBlocks(header), headerBlock(header), bytes, padding(bytes.length)];
}

/** What the header has no room for, as lines of `<length of the line> <key>=<value>`. */
function paxBlocks({ path, target, uid, gid }: Header): Uint8Array[] {
  const records = [
    Buffer.byteLength(path) > nameRoom ? paxRecord("path", path) : "",
    Buffer.byteLength(target) > nameRoom ? paxRecord("linkpath", target) : "",
    uid > largestInHeader ? paxRecord("uid", `${uid}`) : "",
    gid > largestInHeader ? paxRecord("gid", `${gid}`) : "",
  ].join("");
  if (records === "") return [];
  const bytes = Buffer.from(records);
  const header: Header = { type: "pax", path: "pax", mode: 0o644, uid: 0, gid: 0, size: bytes.length, target: "" };
  return [headerBlock(header), bytes, padding(bytes.length)];
}

function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const size = Buffer.byteLength(rest);
  // The length counts its own digits, which may be one more because of them.
  const digits = `${size + `${size}`.length}`.length;
  return `${size + digits}${rest}`;
}

function headerBlock({ type, path, mode, uid, gid, size, target }: Header): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(path, 0, nameRoom);
  block.write(octal(mode, 8), 100);
  block.write(octal(Math.min(uid, largestInHeader), 8), 108);
  block.write(octal(Math.min(gid, largestInHeader), 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(typeFlags[type], 156);
  block.write(target, 157, nameRoom);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}

/** A field of `width` bytes: octal digits, and a NUL that the block has already. */
function octal(value: number, width: number): string {
  return value.toString(8).padStart(width - 1, "0");
}

function padding(length: number): Uint8Array {
  return new Uint8Array(-length & (blockSize - 1));
}
