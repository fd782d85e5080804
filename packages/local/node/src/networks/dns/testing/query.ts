/** A question as a resolver sends it. `size`: with the extension that tells how long the answer may be. */
export function query(name: string, type: number, size?: number): Buffer {
  const labels = name.split(".").flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  const header = Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, size === undefined ? 0 : 1]);
  const extension = size === undefined ? [] : [0, 0, 41, size >> 8, size & 0xff, 0, 0, 0, 0, 0, 0];
  return Buffer.concat([header, ...labels, Buffer.from([0, type >> 8, type & 0xff, 0, 1, ...extension])]);
}
