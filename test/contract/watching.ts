import { initialEventsEnd, isGone, type KubeObject, StatusError, type WatchEvent } from "@berg/apimachinery";
import { ConfigMaps, Events, type WatchOptions } from "@berg/kube";
import { expect, test } from "vitest";
import { eventually, type Given, recordEvent } from "./given.ts";

export function watching(given: Given): void {
  const create = (name: string, labels: Record<string, string> = {}) =>
    given.client.create(ConfigMaps, { metadata: { namespace: given.namespace, name, labels } });
  const label = (name: string, labels: Record<string, string | null>) =>
    given.client.patch(ConfigMaps, given.namespace, name, { type: "merge", body: { metadata: { labels } } });

  function watch(options: WatchOptions, type = ConfigMaps as typeof Events) {
    const stop = new AbortController();
    const events: WatchEvent<KubeObject>[] = [];
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]);
    const opened = Promise.withResolvers<void>();
    const ended = given.client.watch(
      type,
      { namespace: given.namespace, signal, onOpen: opened.resolve, ...options },
      (batch) => events.push(...(batch as WatchEvent<KubeObject>[])),
    );
    return {
      events,
      opened: opened.promise,
      ended,
      object: (index: number) => events.at(index)?.object as KubeObject,
      story: () => events.map((event) => `${event.type} ${(event.object as KubeObject).metadata.name}`),
      async [Symbol.asyncDispose]() {
        stop.abort();
        await ended.catch(() => {});
      },
    };
  }
  const now = async () =>
    (await given.client.list(ConfigMaps, { namespace: given.namespace })).metadata.resourceVersion;

  test("tells each change from a version on, in order", async () => {
    const resourceVersion = await now();
    await using watched = watch({ resourceVersion, labelSelector: "app" });
    const made = await create("one", { app: "web" });
    const changed = await label("one", { app: "api" });
    await given.client.delete(ConfigMaps, given.namespace, "one");
    await eventually(() => expect(watched.story()).toEqual(["ADDED one", "MODIFIED one", "DELETED one"]));
    expect(watched.object(0)).toEqual(made);
    expect(watched.object(1)).toEqual(changed);
    expect(BigInt(watched.object(2).metadata.resourceVersion ?? 0)).toBeGreaterThan(
      BigInt(changed.metadata.resourceVersion),
    );
  });

  test("an object that comes to fit a selector is added, one that no longer does is deleted", async () => {
    await create("one");
    await using watched = watch({ resourceVersion: await now(), labelSelector: "app=web" });
    await label("one", { app: "web" });
    await label("one", { app: "web", tier: "front" });
    await label("one", { app: null });
    await eventually(() => expect(watched.story()).toEqual(["ADDED one", "MODIFIED one", "DELETED one"]));
    await using byName = watch({ fieldSelector: "metadata.name=one", resourceVersion: "0" });
    await eventually(() => expect(byName.story()).toEqual(["ADDED one"]));
  });

  test("begins with what is there, and says where that ends", async () => {
    await create("one", { app: "web" });
    await create("two", { app: "web" });
    await using watched = watch({
      labelSelector: "app=web",
      sendInitialEvents: true,
      allowWatchBookmarks: true,
      resourceVersionMatch: "NotOlderThan",
    });
    await eventually(() => expect(watched.events.length).toBe(3));
    expect(watched.events.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
    expect(watched.object(2).metadata.annotations).toEqual({ [initialEventsEnd]: "true" });
    await create("three", { app: "web" });
    // A server may say at any time how far it has come.
    const changes = () => watched.story().filter((told) => !told.startsWith("BOOKMARK"));
    await eventually(() => expect(changes().slice(2)).toEqual(["ADDED three"]));
  });

  test("says how far it has come before its time is up, and then ends in order", async () => {
    const resourceVersion = await now();
    await using watched = watch({
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: 4,
      labelSelector: "app",
    });
    await watched.opened;
    // It is not for this watch, and yet it brings it further.
    const { metadata } = await create("other");
    await watched.ended;
    expect(watched.events.map(({ type }) => type)).toContain("BOOKMARK");
    expect(BigInt(watched.object(-1).metadata.resourceVersion ?? 0)).toBeGreaterThanOrEqual(
      BigInt(metadata.resourceVersion),
    );
  });

  test("without bookmarks only changes come", async () => {
    await using watched = watch({ resourceVersion: await now(), timeoutSeconds: 3, labelSelector: "app" });
    await watched.ended;
    expect(watched.events).toEqual([]);
  });

  test("from a version that the server has forgotten it is told so", async () => {
    const { metadata } = await recordEvent(given, "one");
    await recordEvent(given, "two");
    await recordEvent(given, "three");
    await given.subject.forgetHistory();
    await using watched = watch({ resourceVersion: metadata.resourceVersion }, Events);
    await watched.ended;
    expect(watched.events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
    const status = watched.events[0]?.object as never;
    expect(isGone(new StatusError(status))).toBe(true);
  });

  // A server that lost its newest data does not say so here: whoever comes back with a later version has to find out.
  test("from a version of the future it is told nothing", async () => {
    await using watched = watch({ resourceVersion: "9000000000000000", timeoutSeconds: 1 });
    await create("one");
    await watched.ended;
    expect(watched.events).toEqual([]);
  });

  test("ends with the reason of its signal", async () => {
    const stop = new AbortController();
    const ended = given.client.watch(ConfigMaps, { namespace: given.namespace, signal: stop.signal }, () => {});
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });
}
