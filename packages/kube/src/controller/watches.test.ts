import type { Stored } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Informer } from "../cache/informer.ts";
import { OptionalInformer } from "../cache/optional-informer.ts";
import { type Change, type IndexFunction, Store } from "../cache/store.ts";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { watchMapped, watchOwned, watchSelf } from "./watches.ts";

/** An informer without its server: a real store, and changes on demand. */
function fakeInformer() {
  const store = new Store<ConfigMap>();
  const handlers = new Set<(change: Change<ConfigMap>) => void>();
  const informer = {
    onChange: (handler: (change: Change<ConfigMap>) => void) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    list: () => store.list(),
    hasSynced: true,
    synced: async () => {},
    ensureIndex: (name: string, valuesOf: IndexFunction<ConfigMap>) => store.ensureIndex(name, valuesOf),
    byIndex: (name: string, value: string) => store.byIndex(name, value),
  } as unknown as Informer<ConfigMap>;
  const put = (object: Stored<ConfigMap>) => {
    for (const change of store.put(object)) for (const handler of handlers) handler(change);
  };
  return { informer, put };
}

describe("watches", () => {
  test("watchSelf names the object that changed, and all for a resync", () => {
    const { informer, put } = fakeInformer();
    const keys: string[] = [];
    const watch = watchSelf(informer);
    const stop = watch.start((key) => keys.push(key));
    put(storedConfigMap("a", 1));
    stop();
    put(storedConfigMap("a", 2));
    expect(keys).toEqual(["default/a"]);
    expect([...watch.all()]).toEqual(["default/a"]);
  });

  test("watchMapped names what the object pointed to before as well as now", () => {
    const { informer, put } = fakeInformer();
    const keys: string[] = [];
    watchMapped(informer, (object) => [object.metadata.labels?.to ?? "nobody"]).start((key) => keys.push(key));
    put(storedConfigMap("a", 1, { labels: { to: "x" } }));
    put(storedConfigMap("a", 2, { labels: { to: "y" } }));
    expect(keys).toEqual(["x", "y", "x"]);
  });

  test("watchOwned finds the owner by UID, never by name, with the priority asked for", () => {
    const owners = fakeInformer();
    const children = fakeInformer();
    const keys: unknown[] = [];
    const watch = watchOwned(children.informer, owners.informer, "owner-uid", { priority: 5 });
    watch.start((key, options) => keys.push([key, options?.priority]));
    owners.put(storedConfigMap("owner", 1, { uid: "u1" }));
    children.put(storedConfigMap("child", 2, { labels: { "owner-uid": "u1" } }));
    children.put(storedConfigMap("orphan", 3, { labels: { "owner-uid": "u0" } }));
    children.put(storedConfigMap("stranger", 4));
    expect(keys).toEqual([["default/owner", 5]]);
    expect(watch.informers).toEqual([children.informer, owners.informer]);
  });

  test("watchOwned of a kind that is found later waits for nobody, and misses nothing", async () => {
    const owners = fakeInformer();
    const children = fakeInformer();
    let served = false;
    const discovery = { find: async () => (served ? ConfigMaps : undefined), all: async () => [] };
    const optional = new OptionalInformer({ group: "", kind: "ConfigMap" }, discovery, () => children.informer);
    const keys: string[] = [];
    const watch = watchOwned(optional, owners.informer, "owner-uid");
    const stop = watch.start((key) => keys.push(key));
    owners.put(storedConfigMap("owner", 1, { uid: "u1" }));
    expect(watch.informers).toEqual([owners.informer]);
    served = true;
    await optional.look(new AbortController().signal);
    expect(watch.informers).toEqual([children.informer, owners.informer]);
    children.put(storedConfigMap("child", 2, { labels: { "owner-uid": "u1" } }));
    stop();
    children.put(storedConfigMap("child", 3, { labels: { "owner-uid": "u1" } }));
    expect(keys).toEqual(["default/owner"]);
  });
});
