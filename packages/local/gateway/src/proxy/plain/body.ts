/** Where the body of an answer ends, by the head before it (RFC 9112, 6.3). The bytes themselves go on as they are. */
import { ChunkReader } from "./chunks.ts";

export interface Body {
  /** How many of these bytes belong to it. */
  take(bytes: Buffer): number;
  /** Whether all of it has been taken. */
  readonly done: boolean;
}

/** How an answer says where its body ends. `"broken"` says two things, or what nobody understands. */
export type Framing = { chunked: true } | { length: number } | "none" | "until-close" | "broken";

export function bodyOf(framing: Exclude<Framing, "broken">): Body {
  if (framing === "until-close") return { take: (bytes) => bytes.length, done: false };
  if (framing === "none") return { take: () => 0, done: true };
  return "chunked" in framing ? new ChunkReader() : new CountedBody(framing.length);
}

class CountedBody implements Body {
  #left: number;

  constructor(length: number) {
    this.#left = length;
  }

  get done(): boolean {
    return this.#left === 0;
  }

  take({ length }: Buffer): number {
    const taken = Math.min(length, this.#left);
    this.#left -= taken;
    return taken;
  }
}
