import { parseFieldSelector, parseLabelSelector } from "@berg/apimachinery";
import { expect, test } from "vitest";
import { at, body, create, givenRegistry, make, patchOf, refusalOf, remove, watchOf, write } from "./testing/given.ts";
import { configMaps, foos, foosV2 } from "./testing/kinds.ts";
import type { WatchFrame, WatchOptions } from "./verbs.ts";

const shown = (frame: WatchFrame | undefined) => frame && `${frame.type} ${frame.object.metadata.name ?? ""}`.trim();
const versionOf = (frame: WatchFrame | undefined) => frame?.object.metadata.resourceVersion;

const forbidden = (why: string) =>
  `422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${why}`;
const refusals: Record<string, { options: Partial<WatchOptions>; want: string }> = {
  "initial events without a match": {
    options: { sendInitialEvents: true },
    want: forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
  },
  "a match without initial events": {
    options: { resourceVersionMatch: "NotOlderThan" },
    want: forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
  },
  "a version that is none": {
    options: { resourceVersion: "abc" },
    want: `500 -: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`,
  },
  "an unknown field": {
    options: { fieldSelector: parseFieldSelector("foo=bar") },
    want: `400 BadRequest: "foo" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  },
};
for (const [name, { options, want }] of Object.entries(refusals)) {
  test(`refuses ${name}`, async () => {
    await using given = await givenRegistry();
    expect(await refusalOf(watchOf(given, configMaps, options))).toBe(want);
  });
}

test.each([{}, { resourceVersion: "0" }, { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const }])(
  "tells first what is there, and then what happens: %j",
  async (options) => {
    await using given = await givenRegistry();
    for (const name of ["b", "a"]) await create(given, configMaps, make(configMaps, name));
    const watch = await watchOf(given, configMaps, { ...options, allowBookmarks: true });
    const [first, second, end] = await watch.frames(3);
    expect([shown(first), shown(second)]).toEqual(["ADDED a", "ADDED b"]);
    expect(end).toEqual({
      type: "BOOKMARK",
      object: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: String(given.store.revision),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      },
    });
    await create(given, configMaps, make(configMaps, "c"));
    await given.verbs.patch(at(configMaps, "c"), "", patchOf("merge", { data: { x: "1" } }), write, given.caller);
    await given.verbs.delete(at(configMaps, "c"), remove, given.caller);
    const news = await watch.frames(3);
    expect(news.map(shown)).toEqual(["ADDED c", "MODIFIED c", "DELETED c"]);
    expect(news.every(({ event }) => event !== undefined)).toBe(true);
    watch.stop();
    expect(await watch.next()).toBeUndefined();
  },
);

test("sends no bookmark to whoever wants none", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a"));
  const watch = await watchOf(given, configMaps);
  expect(shown(await watch.next())).toBe("ADDED a");
  const next = watch.next();
  await given.clock.advance(120_000);
  await create(given, configMaps, make(configMaps, "b"));
  expect(shown(await next)).toBe("ADDED b");
  watch.stop();
});

test("starts behind the version that is named, and without initial events from now", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a"));
  await create(given, configMaps, make(configMaps, "b"));
  const { resourceVersion } = object.metadata;
  const fromThere = await watchOf(given, configMaps, { resourceVersion });
  const fromNow = await watchOf(given, configMaps, { sendInitialEvents: false, resourceVersionMatch: "NotOlderThan" });
  const later = await watchOf(given, configMaps, { resourceVersion: String(given.store.revision + 1) });
  const [first, second, third] = [fromThere.next(), fromNow.next(), later.next()];
  await create(given, configMaps, make(configMaps, "c"));
  await create(given, configMaps, make(configMaps, "d"));
  expect([shown(await first), shown(await second), shown(await third)]).toEqual(["ADDED b", "ADDED c", "ADDED d"]);
  for (const watch of [fromThere, fromNow, later]) watch.stop();
});

test("an object that begins to match is added, one that no longer does is deleted", async () => {
  await using given = await givenRegistry();
  const watch = await watchOf(given, configMaps, { labelSelector: parseLabelSelector("on=yes"), resourceVersion: "1" });
  const label = async (value: string | null, data: string) =>
    (
      await given.verbs.patch(
        at(configMaps, "a"),
        "",
        patchOf("merge", { metadata: { labels: { on: value } }, data: { x: data } }),
        write,
        given.caller,
      )
    ).object;
  await create(given, configMaps, make(configMaps, "a"));
  await label("yes", "1");
  await label("yes", "2");
  const left = await label(null, "3");
  await given.verbs.delete(at(configMaps, "a"), remove, given.caller);
  await create(given, configMaps, make(configMaps, "b", { metadata: { labels: { on: "yes" } } }));
  await given.verbs.delete(at(configMaps, "b"), remove, given.caller);
  const frames = await watch.frames(5);
  expect(frames.map(shown)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED b", "DELETED b"]);
  // As it was when it still matched, but at the time of the change.
  expect(frames[2]).toMatchObject({ object: { data: { x: "2" }, metadata: { labels: { on: "yes" } } } });
  expect(versionOf(frames[2])).toBe(left.metadata.resourceVersion);
  expect(frames.map(({ event }) => event !== undefined)).toEqual([false, true, false, true, true]);
  watch.stop();
});

test("shows one namespace, or all", async () => {
  await using given = await givenRegistry();
  const one = await watchOf(given, configMaps, { resourceVersion: "1" });
  const all = await watchOf(given, configMaps, { resourceVersion: "1" }, "");
  await given.verbs.create(configMaps, "other", body(make(configMaps, "x")), write, given.caller);
  await create(given, configMaps, make(configMaps, "y"));
  expect(shown(await one.next())).toBe("ADDED y");
  expect((await all.frames(2)).map(shown)).toEqual(["ADDED x", "ADDED y"]);
  one.stop();
  all.stop();
});

test("shows objects in the version that was asked for", async () => {
  await using given = await givenRegistry();
  const watch = await watchOf(given, foosV2, { resourceVersion: "1" });
  await create(given, foos, make(foos, "a"));
  expect((await watch.next())?.object.apiVersion).toBe("x.io/v2");
  watch.stop();
});

test("tells how far it has come every minute, and shortly before the time is up", async () => {
  await using given = await givenRegistry();
  const watch = await watchOf(given, configMaps, { resourceVersion: "1", allowBookmarks: true, timeoutSeconds: 90 });
  const first = watch.next();
  await create(given, foos, make(foos, "a"));
  await given.clock.advance(59_000);
  await given.clock.advance(1_000);
  expect(await first).toEqual({
    type: "BOOKMARK",
    object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: String(given.store.revision) } },
  });
  const second = watch.next();
  await given.clock.advance(28_000);
  expect((await second)?.type).toBe("BOOKMARK");
  const end = watch.next();
  await given.clock.advance(2_000);
  expect(await end).toBeUndefined();
  expect(given.clock.timers).toBe(0);
});

test("ends by itself after half an hour to an hour", async () => {
  await using given = await givenRegistry();
  const watch = await watchOf(given, configMaps, { resourceVersion: "1" });
  let isOver = false;
  const end = watch.next().then(() => {
    isOver = true;
  });
  await given.clock.advance(30 * 60_000 - 1);
  expect(isOver).toBe(false);
  await given.clock.advance(30 * 60_000 + 1);
  await end;
});

test("a start that is no longer known is told in a frame, as Kubernetes does", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a"));
  for (const name of ["b", "c"]) await create(given, configMaps, make(configMaps, name));
  given.store.compact(given.store.revision);
  const watch = await watchOf(given, configMaps, { resourceVersion: object.metadata.resourceVersion });
  expect(await watch.next()).toMatchObject({
    type: "ERROR",
    object: {
      kind: "Status",
      code: 410,
      reason: "Expired",
      message: expect.stringMatching(/^too old resource version: \d+ \(\d+\)$/),
    },
  });
  expect(await watch.next()).toBeUndefined();
});

test("a watcher that falls behind what is kept is told so", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a"));
  const watch = await watchOf(given, configMaps);
  expect(shown(await watch.next())).toBe("ADDED a");
  for (const name of ["b", "c"]) await create(given, configMaps, make(configMaps, name));
  given.store.compact(given.store.revision);
  expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 410 } });
  expect(await watch.next()).toBeUndefined();
});

test("what is wanted but not there yet is told in a frame, after a while", async () => {
  await using given = await givenRegistry();
  const watch = await watchOf(given, configMaps, {
    resourceVersion: "999",
    sendInitialEvents: true,
    resourceVersionMatch: "NotOlderThan",
  });
  const first = watch.next();
  await given.clock.advance(3100);
  expect(await first).toMatchObject({ type: "ERROR", object: { code: 504, reason: "Timeout" } });
});

test("what happens at once comes in one batch", async () => {
  await using given = await givenRegistry();
  const watch = await given.verbs.watch(
    configMaps,
    "default",
    { allowBookmarks: false, resourceVersion: "1" },
    new AbortController().signal,
  );
  await Promise.all(Array.from({ length: 600 }, (_, i) => create(given, configMaps, make(configMaps, `a${i}`))));
  const sizes: number[] = [];
  for await (const batch of watch) {
    sizes.push(batch.length);
    if (sizes.length === 2) break;
  }
  expect(sizes).toEqual([500, 100]);
});

test("leaves nothing behind when whoever watches goes away", async () => {
  await using given = await givenRegistry();
  const controller = new AbortController();
  const watch = await given.verbs.watch(configMaps, "default", { allowBookmarks: true }, controller.signal);
  const ended = (async () => {
    for await (const _ of watch);
  })();
  await given.clock.advance(10);
  expect(given.clock.timers).toBe(1);
  controller.abort();
  await ended;
  expect(given.clock.timers).toBe(0);
});
