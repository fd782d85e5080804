/** The scoreboard as bytes: serialised and compressed once for each version, and sent to thousands. */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Cut } from "../board/cut.ts";
import { boardDocument } from "../board/document.ts";

export type Encoding = "br" | "gzip" | "identity";

interface Bytes {
  readonly version: string;
  readonly bytes: Promise<Buffer>;
}

export class CompressedBoards {
  /** By cut and encoding; of each, the newest version. */
  readonly #newest = new Map<string, Bytes>();

  bytes(cut: Cut, encoding: Encoding): Promise<Buffer> {
    const key = `${cut.version.split(".", 1)[0]} ${encoding}`;
    const known = this.#newest.get(key);
    if (known?.version === cut.version) return known.bytes;
    const bytes = compress(encoding, Buffer.from(JSON.stringify(boardDocument(cut))));
    this.#newest.set(key, { version: cut.version, bytes });
    return bytes;
  }
}

/** The best that the client accepts. */
export function encodingFor(acceptEncoding: string | undefined): Encoding {
  const accepted = (acceptEncoding ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(";", 1)[0]);
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding)) ?? "identity";
}

function compress(encoding: Encoding, json: Buffer): Promise<Buffer> {
  switch (encoding) {
    case "br":
      // Higher levels take ten times as long for a tenth less.
      return promisify(brotliCompress)(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    case "gzip":
      return promisify(gzip)(json);
    case "identity":
      return Promise.resolve(json);
  }
}
