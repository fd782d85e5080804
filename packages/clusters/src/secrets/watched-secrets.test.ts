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
} from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forbidden } from "../../../../test/faults/answers.ts";
import { FaultProxy } from "../../../../test/faults/proxy.ts";
import { watchSecrets } from "./watch-secrets.ts";
import { WatchedSecrets } from "./watched-secrets.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

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
async function openRoom() {
  await using parts = new AsyncDisposableStack();
  const namespace = `room-${++rooms}`;
  await client.create(Namespaces, { metadata: { name: namespace } });
  const proxy = parts.use(await FaultProxy.start(connection));
  const own = parts.adopt(createClient({ connection: proxy.connection, rate: unlimited }), (one) => one.close());
  const secrets = new WatchedSecrets({
    client: own,
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
    secret: (name: string, text: string, annotations: Record<string, string> = {}) =>
      client.create(Secrets, { metadata: { name, namespace, annotations }, data: { kubeconfig: base64(text) } }),
    asked: () => proxy.requests.filter(({ resource }) => resource === "secrets").length,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

test("a namespace is watched from the first who needs a Secret there until the last is gone", async () => {
  await using room = await openRoom();
  const { namespace, proxy, secrets } = room;
  const watches = () => proxy.openWatches;
  await client.create(ConfigMaps, { metadata: { name: "frugal", namespace } });
  expect([secrets.sightOf(namespace), room.asked()]).toEqual(["none", 0]);
  await room.needs("first", "one");
  await expect.poll(() => secrets.sightOf(namespace)).toBe("clear");
  await room.needs("second", "two");
  await client.delete(ConfigMaps, namespace, "first");
  await delay(100);
  expect([watches(), secrets.sightOf(namespace)]).toEqual([1, "clear"]);
  await client.patch(ConfigMaps, namespace, "second", { type: "merge", body: { data: { needs: null } } });
  await expect.poll(watches).toBe(0);
  expect(secrets.sightOf(namespace)).toBe("none");
  await room.needs("third", "one");
  await expect.poll(watches).toBe(1);
  room.end();
  await expect.poll(watches).toBe(0);
});

test("whoever needs a Secret is told when all are known, and when it comes, changes and goes", async () => {
  await using room = await openRoom();
  const { namespace, secrets, told } = room;
  await room.needs("mine", "one");
  await expect.poll(() => told).toEqual([`${namespace}/mine`]);
  await room.needs("theirs", "two");
  const news = async (change: Promise<unknown>) => {
    told.length = 0;
    await change;
    await expect.poll(() => told).toEqual([`${namespace}/mine`]);
    return secrets.contentOf(namespace, "one", "kubeconfig");
  };
  const made = await news(room.secret("one", "a"));
  const changed = await news(
    client.patch(Secrets, namespace, "one", { type: "merge", body: { data: { kubeconfig: base64("b") } } }),
  );
  const labelled = await news(
    client.patch(Secrets, namespace, "one", { type: "merge", body: { metadata: { labels: { a: "b" } } } }),
  );
  const gone = await news(client.delete(Secrets, namespace, "one"));
  expect([made === changed, changed === labelled, gone]).toEqual([false, true, "missing"]);
  told.length = 0;
  await room.secret("nobodys", "c");
  await delay(100);
  expect(told).toEqual([]);
});

test("of a Secret nothing is kept that is secret", async () => {
  await using room = await openRoom();
  const { namespace, secrets } = room;
  const canary = "cAnArY-4711";
  await room.secret("one", canary, {
    "kubectl.kubernetes.io/last-applied-configuration": canary,
    "operator.kyma-project.io/epoch": "7",
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
  await using room = await openRoom();
  const { namespace, proxy, secrets, told } = room;
  proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace)).toBe("forbidden");
  await delay(1000);
  expect(room.asked()).toBeLessThanOrEqual(4);
  expect([secrets.contentOf(namespace, "one", "kubeconfig"), told]).toEqual([undefined, []]);
  proxy.answer = () => undefined;
  await expect.poll(() => secrets.sightOf(namespace), { timeout: 5_000 }).toBe("clear");
  await expect.poll(() => told).toEqual([`${namespace}/mine`]);
});

test("a right that is taken away is noticed when the watch ends", async () => {
  await using room = await openRoom();
  const { namespace, proxy, secrets } = room;
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace)).toBe("clear");
  proxy.answer = ({ resource }) => (resource === "secrets" ? forbidden : undefined);
  proxy.cutWatches();
  await expect.poll(() => secrets.sightOf(namespace), { timeout: 5_000 }).toBe("forbidden");
  proxy.answer = () => undefined;
  await expect.poll(() => secrets.sightOf(namespace), { timeout: 5_000 }).toBe("clear");
});

test("what this process has written is seen before the watch brings it", async () => {
  await using room = await openRoom();
  const { namespace, proxy, secrets } = room;
  await room.needs("mine", "one");
  await expect.poll(() => secrets.sightOf(namespace)).toBe("clear");
  proxy.freezeWatches();
  const made = await room.secret("one", "text");
  expect(secrets.get(namespace, "one")).toBeUndefined();
  secrets.wrote(made);
  expect(Object.keys(secrets.get(namespace, "one")?.digests ?? {})).toEqual(["kubeconfig"]);
  expect(JSON.stringify(secrets.get(namespace, "one"))).not.toContain(base64("text"));
});
