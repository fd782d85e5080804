/** Frames of a watch as bytes: one line each. What many watchers see is encoded once for all of them. */
import type { ServedResource } from "../registry/resource.ts";
import type { WatchFrame } from "../registry/verbs.ts";
import type { HistoryEvent } from "../storage/table.ts";
import { encodeMetadata, type TableView } from "./answers.ts";
import { encode } from "./encoded.ts";
import type { Form } from "./form.ts";
import { type TableOptions, tableOf } from "./table.ts";

/** Turns frames into lines for one watcher. `view` is asked for each table, as ages depend on the time. */
export function frameEncoder(
  resource: ServedResource,
  form: Form,
  view: () => TableView,
): (frame: WatchFrame) => Buffer {
  let isFirst = true;
  return (frame) => {
    if (frame.type === "ERROR") return line(frame.type, Buffer.from(JSON.stringify(frame.object)));
    if (form.as !== "table") return sharedLine(frame, form);
    const table = tableFrame(resource, frame, { ...view(), metaVersion: form.metaVersion }, isFirst);
    isFirst = false;
    return line(frame.type, Buffer.from(JSON.stringify(table)));
  };
}

function tableFrame(resource: ServedResource, { object }: WatchFrame, options: TableOptions, isFirst: boolean) {
  const { resourceVersion = "" } = object.metadata;
  return tableOf(resource, [object], { resourceVersion }, options, isFirst);
}

function sharedLine(frame: WatchFrame, form: Form): Buffer {
  const { event, object, type } = frame;
  const make = () => line(type, form.as === "metadata" ? encodeMetadata(object, form) : encode(object));
  if (!event) return make();
  const name = form.as === "metadata" ? form.metaVersion : `object ${object.apiVersion}`;
  const known = event.encodings.get(name);
  if (known) return known as Buffer;
  const made = make();
  recent.add(event, name, made);
  return made;
}

function line(type: string, object: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, lineEnd]);
}

const lineEnd = Buffer.from("}\n");

/**
 * Most watchers are about as far as each other. Lines of long ago are made again for whoever comes late, rather than
 * kept for as long as the history is.
 */
class RecentLines {
  readonly #events: { event: HistoryEvent; bytes: number }[] = [];
  #bytes = 0;
  readonly #most: number;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  add(event: HistoryEvent, name: string, bytes: Buffer): void {
    event.encodings.set(name, bytes);
    this.#events.push({ event, bytes: bytes.length });
    this.#bytes += bytes.length;
    let forgotten = 0;
    while (this.#bytes > this.#most) {
      const oldest = this.#events[forgotten++];
      if (!oldest) break;
      oldest.event.encodings.clear();
      this.#bytes -= oldest.bytes;
    }
    if (forgotten > 0) this.#events.splice(0, forgotten);
  }
}

const recent = new RecentLines(16 << 20);
