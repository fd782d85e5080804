import { setTimeout as delay } from "node:timers/promises";
import {
  type Client,
  ConfigMaps,
  type Connection,
  createClient,
  createMetrics,
  Informer,
  Namespaces,
  Secrets,
  silentLogger,
  systemClock,
  unlimited,
  type WatchOptions,
} from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { FaultProxy } from "../../../../test/faults/proxy.ts";
import { type Choice, itAlone, publishedByUs } from "./choices.ts";
import { watchSecrets } from "./watch-secrets.ts";
import { WatchedSecrets } from "./watched-secrets.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const ours = { "app.kubernetes.io/managed-by": "berg-clusters" };
const choices: [string, Choice][] = [
  ["published by us", publishedByUs],
  ["it alone", itAlone],
];

const undo = new AsyncDisposableStack();
let connection: Connection;
let client: Client;

beforeAll(async () => {
  const { apiServer } = undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
  connection = apiServer.connection;
  client = undo.adopt(createClient({ connection, rate: unlimited }), (one) => one.close());
});
afterAll(() => undo.disposeAsync());

let rooms = 0;

/** A namespace, and what is watched of it. Whoever has a ConfigMap there needs the Secret that it names. */
async function openRoom(choice: Choice) {
  await using parts = new AsyncDisposableStack();
  const namespace = `room-${++rooms}`;
  await client.create(Namespaces, { metadata: { name: namespace } });
  const proxy = parts.use(await FaultProxy.start(connection));
  const own = parts.adopt(createClient({ connection: proxy.connection, rate: unlimited }), (one) => one.close());
  let bytes = 0;
  const counting = {
    list: own.list.bind(own),
    listAll: own.listAll.bind(own),
    watch: (type: never, options: WatchOptions, onEvents: never) => {
      const onBytes = (count: number) => {
        bytes += count;
        options.onBytes?.(count);
      };
      return own.watch(type, { ...options, onBytes }, onEvents);
    },
  } as unknown as Client;
  const secrets = new WatchedSecrets({
    client: counting,
    choice,
    metrics: await createMetrics(),
    clock: systemClock,
    // After 200 ms, 400 ms, …
    random: () => 0.25,
    log: silentLogger,
  });
  const users = new Informer({ client, type: ConfigMaps, selection: { namespace } });
  const stop = new AbortController();
  const running = users.run(stop.signal);
  parts.defer(() => {
    stop.abort();
    return running;
  });
  const told: string[] = [];
  const end = watchSecrets(secrets, users, ({ data }) => data?.needs).start((key) => told.push(key));
  parts.defer(end);
  const moved = parts.move();
  return {
    namespace,
    proxy,
    secrets,
    told,
    end,
    needs: (name: string, needs: string) =>
      client.create(ConfigMaps, { metadata: { name, namespace }, data: { needs } }),
    needsNow: (name: string, needs: string | null) =>
      client.patch(ConfigMaps, namespace, name, { type: "merge", body: { data: { needs } } }),
    secret: (
      name: string,
      text: string,
      metadata: { annotations?: Record<string, string>; labels?: Record<string, string> } = {},
    ) =>
      client.create(Secrets, {
        metadata: { name, namespace, labels: ours, ...metadata },
        data: { kubeconfig: base64(text) },
      }),
    /** Where they were asked for: what each selected. */
    asked: () =>
      proxy.requests
        .filter(({ resource }) => resource === "secrets")
        .map(({ path }) => {
          const query = new URL(path, "http://server").searchParams;
          return query.get("labelSelector") ?? query.get("fieldSelector") ?? "everything";
        }),
    get bytes() {
      return bytes;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

test("what we published in a namespace is watched from the first who needs some of it until the last is gone", async () => {
  await using room = await openRoom(publishedByUs);
  const { namespace, proxy, secrets } = room;
  const watches = () => proxy.openWatches;
  const sight = () => secrets.sightOf(namespace, "one");
  await client.create(ConfigMaps, { metadata: { name: "frugal", namespace } });
  expect([sight(), room.asked()]).toEqual(["none", []]);
  await room.needs("first", "one");
  await expect.poll(sight).toBe("clear");
  await room.needs("second", "two");
  await client.delete(ConfigMaps, namespace, "first");
  await delay(100);
  expect([watches(), sight()]).toEqual([1, "clear"]);
  await room.needsNow("second", null);
  await expect.poll(watches).toBe(0);
  expect(sight()).toBe("none");
  await room.needs("third", "one");
  await expect.poll(watches).toBe(1);
  room.end();
  await expect.poll(watches).toBe(0);
  expect(new Set(room.asked())).toEqual(new Set(["app.kubernetes.io/managed-by=berg-clusters"]));
});

test("a Secret that somebody brought is watched by its name, and another one when another is named", async () => {
  await using room = await openRoom(itAlone);
  const { namespace, proxy, secrets, told } = room;
  await room.secret("one", "a");
  await room.secret("two", "b");
  await room.needs("mine", "one");
  await room.needs("theirs", "one");
  await expect.poll(() => secrets.get(namespace, "one")).toBeDefined();
  expect([proxy.openWatches, new Set(room.asked())]).toEqual([1, new Set(["metadata.name=one"])]);
  await room.needsNow("mine", "two");
  await expect.poll(() => secrets.get(namespace, "two")).toBeDefined();
  expect([proxy.openWatches, new Set(room.asked())]).toEqual([2, new Set(["metadata.name=one", "metadata.name=two"])]);
  await delay(100);
  told.length = 0;
  await client.delete(Secrets, namespace, "two");
  await expect.poll(() => told).toEqual([`${namespace}/mine`]);
  await room.needsNow("theirs", "two");
  await expect.poll(() => proxy.openWatches).toBe(1);
  expect(secrets.sightOf(namespace, "one")).toBe("none");
});

test.each(choices)("%s: of a namespace full of others' Secrets nothing comes over", async (_, choice) => {
  await using room = await openRoom(choice);
  const { namespace, secrets } = room;
  const text = "x".repeat(250_000);
  for (let at = 0; at < 20; at++) await room.secret(`others-${at}`, text, { labels: {} });
  await room.secret("one", "a");
  await room.needs("mine", "one");
  await expect.poll(() => secrets.get(namespace, "one")).toBeDefined();
  await room.secret("others-20", text, { labels: {} });
  await delay(100);
  expect(secrets.get(namespace, "others-20")).toBeUndefined();
  expect(room.bytes).toBeLessThan(20_000);
  expect(room.asked()).not.toContain("everything");
});

test("one that loses our label counts as gone, and as come when it has it again", async () => {
  await using room = await openRoom(publishedByUs);
  const { namespace, secrets, told } = room;
  await room.secret("one", "a");
  await room.needs("mine", "one");
  const content = () => secrets.contentOf(namespace, "one", "kubeconfig");
  await expect.poll(content).toMatch(/ [0-9a-f]{64}$/);
  await delay(100);
  const label = async (value: string | null) => {
    told.length = 0;
    const body = { metadata: { labels: { "app.kubernetes.io/managed-by": value } } };
    await client.patch(Secrets, namespace, "one", { type: "merge", body });
    await expect.poll(() => told).toEqual([`${namespace}/mine`]);
    return content();
  };
  expect([await label(null), await label("berg-clusters")]).toEqual([
    "missing",
    expect.stringMatching(/[0-9a-f]{64}$/),
  ]);
});

test.each(choices)(
  "%s: whoever needs a Secret is told when all are known, and when it comes, changes and goes",
  async (_, choice) => {
    await using room = await openRoom(choice);
    const { namespace, secrets, told } = room;
    await room.needs("mine", "one");
    await expect.poll(() => told).toEqual([`${namespace}/mine`]);
    await room.needs("theirs", "two");
    await expect.poll(() => secrets.sightOf(namespace, "two")).toBe("clear");
    await delay(100);
    const news = async (change: Promise<unknown>) => {
      told.length = 0;
      await change;
      await expect.poll(() => told).toEqual([`${namespace}/mine`]);
      return secrets.contentOf(namespace, "one", "kubeconfig");
    };
    const put = (body: object) => client.patch(Secrets, namespace, "one", { type: "merge", body });
    const made = await news(room.secret("one", "a"));
    const changed = await news(put({ data: { kubeconfig: base64("b") } }));
    const labelled = await news(put({ metadata: { labels: { a: "b" } } }));
    const gone = await news(client.delete(Secrets, namespace, "one"));
    expect([made === changed, changed === labelled, gone]).toEqual([false, true, "missing"]);
    told.length = 0;
    await room.secret("nobodys", "c");
    await delay(100);
    expect(told).toEqual([]);
  },
);

test("however many are brought along, no more than a thousand are watched", async () => {
  let asked = 0;
  const watch = (_: unknown, { signal }: WatchOptions) =>
    new Promise((_, reject) => {
      asked++;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  const secrets = new WatchedSecrets({
    client: { watch } as unknown as Client,
    choice: itAlone,
    metrics: await createMetrics(),
    clock: systemClock,
    random: () => 0.5,
    log: silentLogger,
  });
  for (let at = 0; at < 1100; at++) secrets.hold("clusters", `secret-${at}`, `holder-${at}`);
  expect([asked, secrets.sightOf("clusters", "secret-1099")]).toEqual([1000, "none"]);
  secrets.letGo("holder-1");
  secrets.hold("clusters", "secret-1099", "holder-1099");
  expect(asked).toBe(1001);
  for (let at = 0; at < 1100; at++) secrets.letGo(`holder-${at}`);
});

test("without its key, or with more keys than are kept, each change of it counts", async () => {
  await using room = await openRoom(itAlone);
  const { namespace, secrets } = room;
  await room.secret("one", "a");
  await room.needs("mine", "one");
  const content = () => secrets.contentOf(namespace, "one", "other");
  await expect.poll(content).toBeDefined();
  const data = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ""]));
  for (const body of [{ data }, { data: { other: base64("b") } }, { data: { other: base64("c") } }]) {
    const before = content();
    await client.patch(Secrets, namespace, "one", { type: "merge", body });
    await expect.poll(content).not.toBe(before);
  }
});

test("of a Secret nothing is kept that is secret", async () => {
  await using room = await openRoom(itAlone);
  const { namespace, secrets } = room;
  const canary = "cAnArY-4711";
  await room.secret("one", canary, {
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": canary,
      "operator.kyma-project.io/epoch": "7",
    },
  });
  await room.needs("mine", "one");
  await expect.poll(() => secrets.get(namespace, "one")).toBeDefined();
  const kept = secrets.get(namespace, "one");
  expect(kept?.metadata.annotations).toEqual({ "operator.kyma-project.io/epoch": "7" });
  expect(kept?.digests.kubeconfig).toMatch(/^[0-9a-f]{64}$/);
  const text = JSON.stringify(kept);
  for (const part of [canary, base64(canary)]) expect(text).not.toContain(part);
});

test("without the right nothing is known, and it is asked for more and more rarely until the right comes", async () => {
  await using room = await openRoom(publishedByUs);
  const { namespace, proxy, secrets, told } = room;
  proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("forbidden");
  await delay(1000);
  expect(room.asked().length).toBeLessThanOrEqual(4);
  expect([secrets.contentOf(namespace, "one", "kubeconfig"), told]).toEqual([undefined, []]);
  proxy.answer = () => undefined;
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("clear");
  await expect.poll(() => told).toEqual([`${namespace}/mine`]);
});

test("a right that is taken away is noticed when the watch ends", async () => {
  await using room = await openRoom(publishedByUs);
  const { namespace, proxy, secrets } = room;
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("clear");
  proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  proxy.cutWatches();
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("forbidden");
  proxy.answer = () => undefined;
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("clear");
});

test("what this process has written is seen before the watch brings it", async () => {
  await using room = await openRoom(publishedByUs);
  const { namespace, proxy, secrets } = room;
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace, "one")).toBe("clear");
  proxy.freezeWatches();
  const made = await room.secret("one", "text");
  expect(secrets.get(namespace, "one")).toBeUndefined();
  secrets.wrote(made);
  expect(Object.keys(secrets.get(namespace, "one")?.digests ?? {})).toEqual(["kubeconfig"]);
  expect(JSON.stringify(secrets.get(namespace, "one"))).not.toContain(base64("text"));
});
