import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WatchEvent } from "./event.ts";
import { defaultMaxFrameBytes, FrameError, type FrameFault, FrameReader, type Frames } from "./frames.ts";

const added = (name: string, data?: unknown) =>
  ({
    type: "ADDED",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: "7" }, data },
  }) as unknown as WatchEvent;
const gone: WatchEvent = {
  type: "ERROR",
  object: { apiVersion: "v1", kind: "Status", status: "Failure", code: 410, reason: "Expired" },
};
const bookmark: WatchEvent = {
  type: "BOOKMARK",
  object: { apiVersion: "v1", kind: "Pod", metadata: { resourceVersion: "9" } },
};

const line = (event: unknown) => `${JSON.stringify(event)}\n`;

/** Feeds the chunks and then the end, as a client does: up to the first error. */
function readAll(chunks: Iterable<Uint8Array>, reader = new FrameReader()): Frames {
  const events: WatchEvent[] = [];
  for (const chunk of chunks) {
    const got = reader.read(chunk);
    events.push(...got.events);
    if (got.error) return { events, error: got.error };
  }
  const last = reader.end();
  return { ...last, events: [...events, ...last.events] };
}

function cut(bytes: Buffer, positions: number[]): Buffer[] {
  const edges = [0, ...positions.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

const everyByte = (bytes: Buffer) => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));

describe("FrameReader", () => {
  test("reads frames, whatever ends their lines", () => {
    const text = `\n${line(added("a"))}\r\n  \n${JSON.stringify(bookmark)}\r\n\t${line(gone)}${JSON.stringify(added("last"))}`;
    const want = { events: [added("a"), bookmark, gone, added("last")] };
    expect(readAll([Buffer.from(text)])).toEqual(want);
    expect(readAll(everyByte(Buffer.from(text)))).toEqual(want);
  });

  test("takes a replacement character that an object holds for itself for what it is", () => {
    const event = added("a", "\uFFFD");
    expect(readAll([Buffer.from(line(event))])).toEqual({ events: [event] });
  });

  test("hands out each event with the chunk that completes it", () => {
    const reader = new FrameReader();
    const text = line(added("a")) + line(added("b"));
    expect(reader.read(Buffer.from(text.slice(0, -1)))).toEqual({ events: [added("a")] });
    expect(reader.read(Buffer.from("\n"))).toEqual({ events: [added("b")] });
    expect(reader.end()).toEqual({ events: [] });
  });

  test("takes any Uint8Array, and does not mind if it is overwritten later", () => {
    const reader = new FrameReader();
    const bytes = new TextEncoder().encode(line(added("a")));
    const chunk = new Uint8Array(30);
    const events: WatchEvent[] = [];
    for (let start = 0; start < bytes.length; start += chunk.length) {
      chunk.fill(0x20);
      chunk.set(bytes.subarray(start, start + chunk.length));
      events.push(...reader.read(chunk).events);
    }
    expect(events).toEqual([added("a")]);
  });

  test.each<{ name: string; frame: string | Buffer; wantFault: FrameFault; wantText: string }>([
    { name: "no JSON", frame: '{"type":"s3cret', wantFault: "not-json", wantText: "its 15 bytes are not JSON" },
    {
      name: "no UTF-8",
      frame: Buffer.from([0x7b, 0xff, 0x7d]),
      wantFault: "not-utf8",
      wantText: "its 3 bytes are not UTF-8",
    },
    {
      name: "a byte order mark",
      frame: `\uFEFF${line(added("a")).trim()}`,
      wantFault: "not-json",
      wantText: "bytes are not JSON",
    },
    { name: "a string", frame: '"s3cret"', wantFault: "malformed", wantText: "it has no object" },
    { name: "null", frame: "null", wantFault: "malformed", wantText: "it has no object" },
    { name: "a list", frame: "[]", wantFault: "malformed", wantText: "it has no object" },
    { name: "no object", frame: '{"type":"ADDED"}', wantFault: "malformed", wantText: "it has no object" },
    {
      name: "no type",
      frame: '{"object":{"metadata":{}}}',
      wantFault: "malformed",
      wantText: "its type is none that a watch has",
    },
    {
      name: "an unknown type",
      frame: '{"type":"s3cret","object":{}}',
      wantFault: "malformed",
      wantText: "its type is none that a watch has",
    },
    {
      name: "no metadata",
      frame: '{"type":"ADDED","object":{"kind":"s3cret"}}',
      wantFault: "malformed",
      wantText: "its object has no name or no resourceVersion",
    },
    {
      name: "no name",
      frame: '{"type":"DELETED","object":{"metadata":{"resourceVersion":"1"}}}',
      wantFault: "malformed",
      wantText: "its object has no name or no resourceVersion",
    },
    {
      name: "no resourceVersion",
      frame: '{"type":"MODIFIED","object":{"metadata":{"name":"s3cret"}}}',
      wantFault: "malformed",
      wantText: "its object has no name or no resourceVersion",
    },
    {
      name: "a resourceVersion that is a number",
      frame: '{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":1}}}',
      wantFault: "malformed",
      wantText: "its object has no name or no resourceVersion",
    },
    {
      name: "a bookmark of nothing",
      frame: '{"type":"BOOKMARK","object":{"metadata":{}}}',
      wantFault: "malformed",
      wantText: "its bookmark has no resourceVersion",
    },
    {
      name: "an error that is no Status",
      frame: '{"type":"ERROR","object":{"kind":"Pod"}}',
      wantFault: "malformed",
      wantText: "its error is no Status",
    },
  ])("breaks at $name, after the events before it", ({ frame, wantFault, wantText }) => {
    const good = line(added("a"));
    const bytes = Buffer.concat([Buffer.from(`${good}\n`), Buffer.from(frame), Buffer.from(`\n${line(added("b"))}`)]);
    const reader = new FrameReader();
    const { events, error } = reader.read(bytes);
    expect(events).toEqual([added("a")]);
    expect(error).toBeInstanceOf(FrameError);
    expect(error).toMatchObject({ fault: wantFault, frame: 1, offset: good.length + 1 });
    expect(error?.message).toContain(wantText);
    expect(error?.cause).toBeUndefined();
    expect(`${error?.message}${error?.stack}`).not.toContain("s3cret");
    expect(reader.read(Buffer.from(good))).toEqual({ events: [], error });
    expect(reader.end()).toEqual({ events: [], error });
  });

  test("gives up on a frame that is too long, without waiting for its end", () => {
    const frame = line(added("a")).length - 1;
    expect(readAll([Buffer.from(line(added("a")))], new FrameReader({ maxFrameBytes: frame })).error).toBeUndefined();

    const whole = new FrameReader({ maxFrameBytes: frame - 1 }).read(Buffer.from(line(bookmark) + line(added("a"))));
    expect(whole.error).toMatchObject({ fault: "oversized", frame: 1 });

    const endless = new FrameReader();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    const fed = Array.from({ length: 17 }, () => endless.read(chunk));
    expect(fed.findIndex(({ error }) => error)).toBe(defaultMaxFrameBytes / chunk.length);
    expect(fed.at(-1)?.error?.message).toBe("cannot read watch frame 0 at byte 0: it is longer than 16777216 bytes");
  });

  test.each([
    { name: "in its text", rest: line(added("b")).slice(0, 20) },
    { name: "in a character", rest: Buffer.from(line(added("✓"))).subarray(0, -40) },
    { name: "before its last brace", rest: line(added("b")).slice(0, -2) },
  ])("says when the stream ended in the middle of a frame, $name", ({ rest }) => {
    const reader = new FrameReader();
    reader.read(Buffer.concat([Buffer.from(line(added("a"))), Buffer.from(rest)]));
    expect(reader.end()).toMatchObject({ events: [], error: { fault: "truncated", frame: 1 } });
  });

  test("says what is wrong with a last frame that is complete", () => {
    expect(readAll([Buffer.from('{"type":"ADDED","object":{}}')]).error).toMatchObject({ fault: "malformed" });
  });

  test("reads a long frame in many chunks", () => {
    // Copied again with each chunk these would be 32 GiB, which ends at the runner's time limit.
    const bytes = Buffer.from(line(added("a", "x".repeat(8 * 1024 * 1024))));
    const { events } = readAll(
      cut(
        bytes,
        Array.from({ length: 8_000 }, (_, index) => index * 1_000),
      ),
    );
    expect(events).toHaveLength(1);
  });
});

describe("any stream", () => {
  const event = fc.oneof(
    fc.tuple(fc.string({ unit: "binary", minLength: 1 }), fc.jsonValue()).map(([name, data]) => added(name, data)),
    fc.constantFrom(bookmark, gone),
  );
  const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\n \r\n");
  const stream = fc.array(fc.tuple(event, ending), { maxLength: 8 });
  const positions = fc.array(fc.nat(), { maxLength: 20 });
  const text = (frames: [unknown, string][]) => frames.map(([value, end]) => JSON.stringify(value) + end).join("");
  const eventsOf = (frames: [unknown, string][]) => frames.map(([value]) => JSON.parse(JSON.stringify(value)));

  test("gives the same events, wherever it is cut", () => {
    fc.assert(
      fc.property(stream, positions, (frames, cuts) => {
        const bytes = Buffer.from(text(frames));
        const want = { events: eventsOf(frames) };
        expect(readAll(cut(bytes, cuts))).toEqual(want);
        expect(readAll(everyByte(bytes))).toEqual(want);
      }),
    );
  });

  test("breaks at the garbage in it, and brings every event before that", () => {
    const garbage = fc.constantFrom<[Buffer, FrameFault]>(
      [Buffer.from("{"), "not-json"],
      [Buffer.from("<html>"), "not-json"],
      [Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), "not-utf8"],
      [Buffer.from("42"), "malformed"],
      [Buffer.from("{}"), "malformed"],
      [Buffer.alloc(5_000, "x"), "oversized"],
    );
    fc.assert(
      fc.property(stream, garbage, stream, positions, (before, [bad, fault], after, cuts) => {
        const head = Buffer.from(text(before));
        const bytes = Buffer.concat([head, bad, Buffer.from(`\n${text(after)}`)]);
        for (const chunks of [cut(bytes, cuts), everyByte(bytes)]) {
          const got = readAll(chunks, new FrameReader({ maxFrameBytes: 4_999 }));
          expect(got.events).toEqual(eventsOf(before));
          expect(got.error).toMatchObject({ fault, frame: before.length });
          expect(got.error?.offset).toBe(head.length);
        }
      }),
    );
  });

  test("is truncated exactly where it is cut off within a frame", () => {
    fc.assert(
      fc.property(stream, event, fc.nat(), (frames, last, length) => {
        const frame = Buffer.from(JSON.stringify(last));
        const cutAt = 1 + (length % (frame.length - 1));
        const got = readAll([Buffer.from(text(frames)), frame.subarray(0, cutAt)]);
        expect(got.events).toEqual(eventsOf(frames));
        expect(got.error).toMatchObject({ fault: "truncated", frame: frames.length });
      }),
    );
  });
});
