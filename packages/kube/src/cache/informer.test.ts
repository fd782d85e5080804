import { initialEventsEnd, type WatchEvent } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Client, WatchOptions } from "../client/client.ts";
import { type ConfigMap, ConfigMaps } from "../kinds.ts";
import { silentLogger } from "../log.ts";
import { settle } from "../testing/fake-clock.ts";
import { FakeServer } from "../testing/fake-server.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { deepFreeze } from "./freeze.ts";
import { Informer, type InformerOptions } from "./informer.ts";
import { withoutManagedFields, withoutSecretData } from "./transforms.ts";

/** Stands in for a server that streams its list; the real one is in test/runtime. */
function streamingClient() {
  let send: (events: WatchEvent<ConfigMap>[]) => void = () => {};
  const client = {
    watch: (_: unknown, options: WatchOptions, onEvents: typeof send) => {
      send = onEvents;
      return new Promise<void>((_, reject) =>
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason), { once: true }),
      );
    },
  } as unknown as Client;
  const listEnd: WatchEvent<ConfigMap> = {
    type: "BOOKMARK",
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { resourceVersion: "10", annotations: { [initialEventsEnd]: "true" } },
    },
  };
  return { client, listEnd, send: (...events: WatchEvent<ConfigMap>[]) => send(events) };
}

async function started(options: Partial<InformerOptions<ConfigMap>> = {}) {
  const { client, listEnd, send } = streamingClient();
  const informer = new Informer<ConfigMap>({ client, type: ConfigMaps, ...options });
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  await settle();
  const finish = () => {
    stop.abort();
    return run;
  };
  return { informer, listEnd, send, finish };
}

describe("an informer", () => {
  test("has synced when the whole list is there, handlers told", async () => {
    const { informer, listEnd, send, finish } = await started();
    const told: string[] = [];
    informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
    send({ type: "ADDED", object: storedConfigMap("a", 1) });
    expect([informer.hasSynced, informer.size]).toEqual([false, 0]);
    send(listEnd);
    await informer.synced();
    expect([informer.hasSynced, told]).toEqual([true, ["added a"]]);
    await finish();
  });

  test("tells a late handler what is there already, and one that left nothing more", async () => {
    const { informer, listEnd, send, finish } = await started();
    send({ type: "ADDED", object: storedConfigMap("a", 1) }, listEnd);
    const told: string[] = [];
    const leave = informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
    send({ type: "ADDED", object: storedConfigMap("b", 11) });
    leave();
    send({ type: "DELETED", object: storedConfigMap("b", 12) });
    expect(told).toEqual(["added a", "added b"]);
    await finish();
  });

  test("goes on when a handler throws, also for the other handlers", async () => {
    const { informer, listEnd, send, finish } = await started();
    const told: string[] = [];
    informer.onChange(() => {
      throw new Error("oops");
    });
    informer.onChange(({ object }) => told.push(object.metadata.name));
    send(listEnd, { type: "ADDED", object: storedConfigMap("a", 11) });
    send({ type: "ADDED", object: storedConfigMap("b", 12) });
    expect(told).toEqual(["a", "b"]);
    await finish();
  });

  test("keeps an object whose transform or index throws, and tells of it, rather than to bring it up again and again", async () => {
    const errors: string[] = [];
    const { informer, listEnd, send, finish } = await started({
      transform: (object) => {
        if (object.metadata.name === "bad") throw new Error("no labels");
        return object;
      },
      log: {
        ...silentLogger,
        error: (fields, message) => errors.push(`${message}: ${(fields as Error & { error: string }).error}`),
      },
    });
    informer.ensureIndex("first", ({ metadata }) => {
      if (metadata.name === "worse") throw new Error("no index");
      return [metadata.name];
    });
    const told: string[] = [];
    informer.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
    send(
      { type: "ADDED", object: storedConfigMap("bad", 1) },
      { type: "ADDED", object: storedConfigMap("a", 2) },
      listEnd,
    );
    send({ type: "ADDED", object: storedConfigMap("worse", 11) }, { type: "ADDED", object: storedConfigMap("b", 12) });
    expect(told).toEqual(["added bad", "added a", "added worse", "added b"]);
    expect(errors).toEqual(["transform threw: no labels", "index threw: no index"]);
    expect(informer.byIndex("first", "b")).toHaveLength(1);
    send({ type: "DELETED", object: storedConfigMap("worse", 13) });
    expect(informer.get("default/worse")).toBeUndefined();
    await finish();
  });

  test("drops what the transform drops when an object comes, and not when the list is whole", async () => {
    const came: string[] = [];
    const { listEnd, send, finish, informer } = await started({
      transform: (object) => {
        came.push(object.metadata.name);
        return withoutSecretData(object);
      },
    });
    send({ type: "ADDED", object: storedConfigMap("a", 1, { data: { token: "x" } }) });
    send({ type: "ADDED", object: storedConfigMap("b", 2, { data: { token: "y" } }) });
    expect([came, informer.hasSynced]).toEqual([["a", "b"], false]);
    send(listEnd);
    expect([came, informer.list().map(({ data }) => data)]).toEqual([
      ["a", "b"],
      [undefined, undefined],
    ]);
    await finish();
  });

  test("has the same of a server that cannot stream its list", async () => {
    const server = new FakeServer();
    server.streamsLists = false;
    server.put("a", { token: "x" });
    const informer = new Informer({ client: server.client, type: ConfigMaps, transform: withoutSecretData });
    const stop = new AbortController();
    const run = informer.run(stop.signal);
    await informer.synced();
    const [object] = informer.list();
    expect([object?.metadata.name, object?.data, Object.isFrozen(object)]).toEqual(["a", undefined, true]);
    stop.abort();
    await run;
  });

  test("tells of a deletion with what the transform leaves of the object", async () => {
    const { informer, listEnd, send, finish } = await started({ transform: withoutSecretData });
    const told: unknown[] = [];
    informer.onChange(({ type, object }) => told.push([type, object.data, Object.isFrozen(object)]));
    send({ type: "ADDED", object: storedConfigMap("a", 1, { data: { token: "x" } }) }, listEnd);
    send({ type: "DELETED", object: storedConfigMap("a", 11, { data: { token: "x" } }) });
    expect(told).toEqual([
      ["added", undefined, true],
      ["deleted", undefined, true],
    ]);
    await finish();
  });

  test("gives out objects that nobody can change, without managedFields", async () => {
    const { informer, listEnd, send, finish } = await started();
    const object = storedConfigMap("a", 11, { data: { key: "value" } });
    object.metadata.managedFields = [{ manager: "kubectl" }];
    send(listEnd, { type: "ADDED", object });
    const cached = informer.get("default/a");
    expect(cached?.metadata.managedFields).toBeUndefined();
    expect(() => {
      (cached?.data as Record<string, string>).key = "other";
    }).toThrow(TypeError);
    await finish();
  });

  test("gives up waiting for its sync when told, and refuses to run twice", async () => {
    const { informer, finish } = await started();
    await expect(informer.synced(AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
    await expect(informer.run(new AbortController().signal)).rejects.toThrow("started already");
    await finish();
  });
});

test("deepFreeze reaches every depth, through arrays too", () => {
  const frozen = deepFreeze({ a: [{ b: { c: [1] } }], n: null });
  expect(Object.isFrozen(frozen.a[0]?.b.c)).toBe(true);
});

test("a Secret's contents are dropped wherever they stand", () => {
  const secret = storedConfigMap("s", 1, { data: { token: "c2VjcmV0" } });
  secret.metadata.annotations = { "kubectl.kubernetes.io/last-applied-configuration": "c2VjcmV0", keep: "this" };
  expect(JSON.stringify(withoutSecretData(secret))).not.toContain("c2VjcmV0");
  expect(secret.metadata.annotations).toEqual({ keep: "this" });
  expect(withoutManagedFields(storedConfigMap("a", 1)).metadata.name).toBe("a");
});
