import type { KubeObject } from "../object.ts";
import { isStatus } from "../status.ts";
import type { WatchEvent } from "./event.ts";

/**
 * One frame is one object. etcd takes 1.5 MiB of it by default, in a form more compact than JSON; client-go gives up at
 * 16 MiB as well. Something longer is no watch, and would only fill the memory.
 */
export const defaultMaxFrameBytes = 16 * 1024 * 1024;

/** What a chunk has brought: the events in order and, where the stream broke after them, why. */
export interface Frames<T extends KubeObject = KubeObject> {
  events: WatchEvent<T>[];
  error?: FrameError;
}

export type FrameFault = "oversized" | "not-utf8" | "not-json" | "malformed" | "truncated";

/** A watch stream that cannot be read any further. Says where, never what: a frame may hold a secret. */
export class FrameError extends Error {
  readonly fault: FrameFault;
  /** How many events came before. */
  readonly frame: number;
  /** Where in the stream the frame starts, in bytes. */
  readonly offset: number;

  constructor(fault: FrameFault, at: { frame: number; offset: number }, text: string) {
    super(`cannot read watch frame ${at.frame} at byte ${at.offset}: ${text}`);
    this.name = "FrameError";
    this.fault = fault;
    this.frame = at.frame;
    this.offset = at.offset;
  }
}

/**
 * Makes watch events of the bytes of a connection, however they are cut into chunks. Frames are JSON, one a line. After
 * an error the reader stays broken, since what follows cannot be trusted.
 *
 *     const { events, error } = reader.read(chunk);
 */
export class FrameReader<T extends KubeObject = KubeObject> {
  readonly #maxFrameBytes: number;
  readonly #unfinished = new GrowingBuffer();
  #frame = 0;
  #offset = 0;
  #error: FrameError | undefined;

  constructor(options: { maxFrameBytes?: number } = {}) {
    this.#maxFrameBytes = options.maxFrameBytes ?? defaultMaxFrameBytes;
  }

  read(chunk: Uint8Array): Frames<T> {
    const bytes = chunk instanceof Buffer ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return this.#collect(bytes);
  }

  /** To be called once when the stream has ended: the last frame may lack its newline, but not its end. */
  end(): Frames<T> {
    return this.#collect(undefined);
  }

  #collect(bytes: Buffer | undefined): Frames<T> {
    const events: WatchEvent<T>[] = [];
    if (this.#error) return { events, error: this.#error };
    try {
      if (bytes) this.#readLines(bytes, events);
      else this.#readRest(events);
      return { events };
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#error = error;
      this.#unfinished.take();
      return { events, error };
    }
  }

  #readLines(bytes: Buffer, events: WatchEvent<T>[]): void {
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      this.#checkSize(end - start);
      if (this.#unfinished.length === 0) {
        this.#readLine(bytes, start, end, events);
      } else {
        this.#unfinished.append(bytes.subarray(start, end));
        const line = this.#unfinished.take();
        this.#readLine(line, 0, line.length, events);
      }
      start = end + 1;
    }
    if (start < bytes.length) {
      this.#checkSize(bytes.length - start);
      this.#unfinished.append(bytes.subarray(start));
    }
  }

  #readRest(events: WatchEvent<T>[]): void {
    try {
      const line = this.#unfinished.take();
      this.#readLine(line, 0, line.length, events);
    } catch (error) {
      if (!(error instanceof FrameError) || error.fault === "malformed") throw error;
      throw new FrameError("truncated", error, "the stream ended in the middle of it");
    }
  }

  #checkSize(more: number): void {
    if (this.#unfinished.length + more <= this.#maxFrameBytes) return;
    throw this.#fault("oversized", `it is longer than ${this.#maxFrameBytes} bytes`);
  }

  #readLine(bytes: Buffer, start: number, end: number, events: WatchEvent<T>[]): void {
    if (bytes[start] === openingBrace || !isBlank(bytes.subarray(start, end))) {
      events.push(this.#parse(bytes, start, end));
      this.#frame++;
    }
    this.#offset += end - start + 1;
  }

  #parse(bytes: Buffer, start: number, end: number): WatchEvent<T> {
    const text = bytes.toString("utf8", start, end);
    // Where the bytes are no UTF-8, it stands in for them; an object may also hold it for itself.
    if (text.includes("\uFFFD") && !isUtf8(bytes.subarray(start, end))) {
      throw this.#fault("not-utf8", `its ${end - start} bytes are not UTF-8`);
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // Not kept as the cause: it quotes the text.
      throw this.#fault("not-json", `its ${end - start} bytes are not JSON`);
    }
    const wrong = whatIsWrongWith(value);
    if (wrong) throw this.#fault("malformed", wrong);
    return value as WatchEvent<T>;
  }

  #fault(fault: FrameFault, text: string): FrameError {
    return new FrameError(fault, { frame: this.#frame, offset: this.#offset }, text);
  }
}

const newline = 0x0a;
const openingBrace = 0x7b;
const blanks = [0x20, 0x09, 0x0d];
const utf8 = new TextDecoder("utf-8", { fatal: true });

function isUtf8(bytes: Buffer): boolean {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => blanks.includes(byte));
}

/** Runs for every event: a few lookups, however large the object is. */
function whatIsWrongWith(frame: unknown): string | undefined {
  const { type, object } = fieldsOf(frame);
  if (typeof object !== "object" || object === null) return "it has no object";
  const { name, resourceVersion } = fieldsOf((object as { metadata?: unknown }).metadata);
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return isText(name) && isText(resourceVersion) ? undefined : "its object has no name or no resourceVersion";
    case "BOOKMARK":
      return isText(resourceVersion) ? undefined : "its bookmark has no resourceVersion";
    case "ERROR":
      return isStatus(object) ? undefined : "its error is no Status";
    default:
      return "its type is none that a watch has";
  }
}

function fieldsOf(value: unknown): { [key: string]: unknown } {
  return typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : nothing;
}

const nothing = {};

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

const keptBytes = 64 * 1024;

/** Doubles as it fills, so that a long frame in many chunks is copied a constant number of times. */
class GrowingBuffer {
  #bytes = Buffer.alloc(0);
  length = 0;

  append(more: Buffer): void {
    const length = this.length + more.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    more.copy(this.#bytes, this.length);
    this.length = length;
  }

  /** Valid until the next `append`. One long frame does not hold on to its memory. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.length);
    this.length = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.alloc(0);
    return taken;
  }
}
