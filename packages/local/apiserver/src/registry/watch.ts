/** A watch: what is there if that is wanted, then everything that happens, in batches, until the time is up. */
import { StatusError } from "@berg/apimachinery";
import { expired, refusal } from "../errors/refusals.ts";
import { Compacted, type Cursor } from "../storage/table.ts";
import { toServed } from "./conversion.ts";
import { parseVersion, untilFresh } from "./freshness.ts";
import { checkWatchOptions } from "./list-options.ts";
import { type Registry, tableOf } from "./registry.ts";
import type { AnyObject, ServedResource } from "./resource.ts";
import { selectionOf } from "./selection.ts";
import type { WatchFrame, WatchOptions } from "./verbs.ts";
import { bookmark, framesOf, type Viewer } from "./watch-frames.ts";
import { WatchTimes } from "./watch-times.ts";

/** So that one slow write does not hold thousands of frames. */
const largestBatch = 500;

export async function watchObjects(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly WatchFrame[]>> {
  checkWatchOptions(options);
  const selection = selectionOf(resource, options);
  const version = parseVersion(options.resourceVersion);
  const viewer: Viewer = { resource, namespace, selection };
  return frames(registry, viewer, startOf(options, version), version, options, signal);
}

type Start = "initial events" | "now" | "version";

/** Whoever names no version gets what is there first, whether they ask for it or not. */
function startOf({ sendInitialEvents }: WatchOptions, version: number): Start {
  if (sendInitialEvents ?? version === 0) return "initial events";
  return version === 0 ? "now" : "version";
}

async function* frames(
  registry: Registry,
  viewer: Viewer,
  start: Start,
  version: number,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly WatchFrame[]> {
  if ((options.timeoutSeconds ?? 0) < 0) {
    yield [errorFrame(refusal(500, "InternalError", "context deadline exceeded"))];
    return;
  }
  using times = new WatchTimes(registry, options, signal);
  const table = tableOf(registry, viewer.resource);
  let cursor: Cursor | undefined;
  try {
    let from = start === "version" ? version : registry.store.revision;
    if (start === "initial events") {
      await untilFresh(registry, version);
      const listed = table.list(viewer.namespace || undefined);
      from = listed.revision;
      cursor = table.watch(from);
      yield* initialFrames(viewer, listed.items, from, options);
    }
    cursor ??= table.watch(from);
    while (!times.isOver) {
      const batch = framesOf(viewer, cursor, largestBatch);
      if (batch.length > 0) yield batch;
      else if (times.isBookmarkDue) {
        times.bookmarkSent();
        if (options.allowBookmarks) yield [bookmark(viewer.resource, Math.max(cursor.reached, from))];
      } else await cursor.wait(times.wake);
    }
  } catch (error) {
    yield [errorFrame(errorOf(error, version))];
  } finally {
    cursor?.close();
  }
}

function* initialFrames(viewer: Viewer, items: readonly object[], revision: number, options: WatchOptions) {
  const { resource, selection } = viewer;
  let batch: WatchFrame[] = [];
  for (const stored of items) {
    if (selection && !selection(stored)) continue;
    batch.push({ type: "ADDED", object: toServed(resource, stored) });
    if (batch.length < largestBatch) continue;
    yield batch;
    batch = [];
  }
  if (options.allowBookmarks) batch.push(bookmark(resource, revision, { "k8s.io/initial-events-end": "true" }));
  if (batch.length > 0) yield batch;
}

/** What has begun is answered with 200, so what goes wrong then is said in a frame. */
function errorOf(error: unknown, version: number): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof Compacted)
    return expired(`too old resource version: ${version || error.revision} (${error.oldest})`);
  throw error;
}

function errorFrame(error: StatusError): WatchFrame {
  return { type: "ERROR", object: error.status as unknown as AnyObject };
}
