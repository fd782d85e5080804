/** From what happened in a table to what one watcher is told of it. */
import type { Cursor, HistoryEvent } from "../storage/table.ts";
import { toServed } from "./conversion.ts";
import { servedVersionOf } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";
import type { Selection } from "./selection.ts";
import type { WatchFrame } from "./verbs.ts";

export interface Viewer {
  readonly resource: ServedResource;
  /** `""`: all of them. */
  readonly namespace: string;
  readonly selection: Selection;
}

/** What the cursor has ready and the watcher may see, `most` of it. */
export function framesOf(viewer: Viewer, cursor: Cursor, most: number): WatchFrame[] {
  const frames: WatchFrame[] = [];
  while (frames.length < most) {
    const event = cursor.next();
    if (!event) break;
    const frame = frameOf(viewer, event);
    if (frame) frames.push(frame);
  }
  return frames;
}

/** An object that comes to match a selector is added, one that no longer does is deleted, as far as the watcher knows. */
function frameOf({ resource, namespace, selection }: Viewer, event: HistoryEvent): WatchFrame | undefined {
  if (namespace && event.object.metadata.namespace !== namespace) return undefined;
  if (!selection) return plainFrame(resource, event);
  const did = event.previous !== undefined && selection(event.previous);
  const does = event.type !== "DELETED" && selection(event.object);
  if (does === did) return does ? frameAs("MODIFIED", resource, event) : undefined;
  if (does) return frameAs("ADDED", resource, event);
  if (event.type === "DELETED") return plainFrame(resource, event);
  return { type: "DELETED", object: toServed(resource, lastSeen(event)) };
}

function frameAs(type: "ADDED" | "MODIFIED", resource: ServedResource, event: HistoryEvent): WatchFrame {
  return event.type === type ? plainFrame(resource, event) : { type, object: toServed(resource, event.object) };
}

function plainFrame(resource: ServedResource, event: HistoryEvent): WatchFrame {
  return { type: event.type, object: toServed(resource, event.object), event };
}

/** As it was when it still matched, at the time at which it ceased to. */
function lastSeen({ previous, object }: HistoryEvent): AnyObject {
  const { resourceVersion } = object.metadata;
  const last = previous ?? object;
  return { ...last, metadata: { ...last.metadata, resourceVersion } };
}

/** Tells how far the watch has come, so that the next one need not start from far behind. */
export function bookmark(resource: ServedResource, revision: number, annotations?: Record<string, string>): WatchFrame {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
  const object = { kind: resource.kind, apiVersion: servedVersionOf(resource), metadata };
  return { type: "BOOKMARK", object: object as unknown as AnyObject };
}
