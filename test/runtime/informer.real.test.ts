/** The informer against a real API server on its bad days. */
import {
  type Client,
  type Clock,
  type ConfigMap,
  ConfigMaps,
  createClient,
  Informer,
  Namespaces,
  unlimited,
} from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { FaultProxy } from "../faults/proxy.ts";
import { eventually } from "./eventually.ts";
import { Witness } from "./witness.ts";

let controlPlane: ControlPlane;
let client: Client;
let namespace: string;
let counter = 0;

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  client = createClient({ connection: controlPlane.connection, rate: unlimited });
});
afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});
beforeEach(async () => {
  namespace = `test-${++counter}`;
  await client.create(Namespaces, { metadata: { name: namespace } });
});

/** An informer over ConfigMaps of this test's namespace, watched by a witness. */
function observe(through: Client, timing: { clock?: Clock } = {}) {
  const relists: string[] = [];
  const informer = new Informer<ConfigMap>({
    client: through,
    type: ConfigMaps,
    selection: { namespace },
    ...timing,
    metrics: { relisted: (reason) => relists.push(reason), sample: () => () => {} },
  });
  const witness = new Witness(informer);
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  return {
    informer,
    witness,
    relists,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await run;
    },
  };
}

const create = (name: string) => client.create(ConfigMaps, { metadata: { namespace, name }, data: { name } });
const remove = (name: string) => client.delete(ConfigMaps, namespace, name);
const touch = (name: string, value: string) =>
  client.patch(ConfigMaps, namespace, name, { type: "merge", body: { data: { value } } });

async function inBatches(names: string[], action: (name: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < names.length; at += 32) await Promise.all(names.slice(at, at + 32).map(action));
}

describe.skipIf(await missingControlPlane())("an informer on a real API server", () => {
  test("follows creations, changes and deletions", async () => {
    await create("before");
    await using observed = observe(client);
    await observed.informer.synced();
    await create("a");
    await touch("a", "1");
    await remove("a");
    await observed.witness.agreesWith(client, namespace);
    await eventually("a is gone", () => observed.witness.ended === 1);
    expect(observed.witness.story).toEqual(["added before", "added a", "updated a", "deleted a"]);
  });

  test("keeps 10,000 objects, listed in pages as well as streamed", async () => {
    await inBatches(
      Array.from({ length: 10_000 }, (_, index) => `object-${index}`),
      create,
    );
    const list = await client.list(ConfigMaps, { namespace, limit: 500 });
    expect(list.items).toHaveLength(500);
    await using streamed = observe(client);
    await using proxy = await FaultProxy.start(controlPlane.connection);
    // A server that cannot stream lists, as those before Kubernetes 1.32 cannot.
    proxy.answer = ({ path }) => (path.includes("sendInitialEvents") ? { status: 422, body: invalid } : undefined);
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    await using paged = observe(through);
    await Promise.all([streamed.informer.synced(), paged.informer.synced()]);
    expect([streamed.informer.size, paged.informer.size]).toEqual([10_000, 10_000]);
    expect(proxy.requests.filter(({ path }) => path.includes("limit=500"))).toHaveLength(20);
    await inBatches(
      Array.from({ length: 500 }, (_, index) => `object-${index * 20}`),
      remove,
    );
    await streamed.witness.agreesWith(client, namespace);
    await paged.witness.agreesWith(client, namespace);
    await through.close();
  });

  test("goes on from where it was when its connection is cut, without listing anew", async () => {
    await using proxy = await FaultProxy.start(controlPlane.connection);
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    await using observed = observe(through);
    await observed.informer.synced();
    for (let turn = 0; turn < 3; turn++) {
      await eventually("the watch is open", () => proxy.openWatches === 1);
      await create(`a-${turn}`);
      proxy.cutWatches();
      await create(`b-${turn}`);
      if (turn > 0) await remove(`a-${turn - 1}`);
    }
    await observed.witness.agreesWith(client, namespace);
    expect(observed.relists).toEqual(["start"]);
    await through.close();
  });

  test("lists anew when a frame is garbled or cut in its middle, and misses nothing", async () => {
    await using proxy = await FaultProxy.start(controlPlane.connection);
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    await using observed = observe(through);
    await observed.informer.synced();
    await eventually("the watch is open", () => proxy.openWatches === 1);
    proxy.garbleWatches();
    await create("garbled");
    await observed.witness.agreesWith(client, namespace);
    await eventually("the watch is open", () => proxy.openWatches === 1);
    proxy.truncateWatches();
    await create("truncated");
    await observed.witness.agreesWith(client, namespace);
    expect(observed.relists).toEqual(["start", "garbled", "garbled"]);
    await through.close();
  });

  test("reads frames that arrive byte by byte", async () => {
    await using proxy = await FaultProxy.start(controlPlane.connection);
    proxy.byteByByte = true;
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    await using observed = observe(through);
    await observed.informer.synced();
    await Promise.all(
      ["ä", "漢字", "🏔️"].map((text, index) => create(`m-${index}`).then(() => touch(`m-${index}`, text))),
    );
    await observed.witness.agreesWith(client, namespace);
    expect(observed.informer.get(`${namespace}/m-2`)?.data?.value).toBe("🏔️");
    expect(observed.relists).toEqual(["start"]);
    await through.close();
  });

  test("finds a half-open connection within 90 s, and catches up", async () => {
    await using proxy = await FaultProxy.start(controlPlane.connection);
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    // Only the informer's time is fake; the server and the connections are real.
    const clock = new FakeClock();
    await using observed = observe(through, { clock });
    await observed.informer.synced();
    await eventually("the watch is open", () => proxy.openWatches === 1);
    proxy.freezeWatches();
    await create("unseen");
    await clock.advance(90_000);
    await eventually("the informer waits before it reconnects", () => clock.timers === 1);
    await clock.advance(2_000);
    await observed.witness.agreesWith(client, namespace);
    expect(observed.relists).toEqual(["start"]);
    await through.close();
  });

  test("survives the API server's death and return with the same data", async () => {
    await create("kept");
    await using observed = observe(client);
    await observed.informer.synced();
    await controlPlane.apiServer.kill();
    await controlPlane.apiServer.start();
    await create("after");
    await observed.witness.agreesWith(client, namespace);
    expect(observed.witness.story).toEqual(["added kept", "added after"]);
  });

  test("lists anew after a compaction, and tells a name that was made again as gone and come", async () => {
    await create("kept");
    await create("remade");
    await create("removed");
    await using proxy = await FaultProxy.start(controlPlane.connection);
    const through = createClient({ connection: proxy.connection, rate: unlimited });
    await using observed = observe(through);
    await observed.informer.synced();
    // While the informer hears nothing, the world changes, and the server forgets how.
    proxy.answer = () => "reset";
    proxy.cutWatches();
    await remove("remade");
    await create("remade");
    await remove("removed");
    await create("new");
    await controlPlane.apiServer.kill();
    await controlPlane.compactEtcd();
    await controlPlane.apiServer.start();
    proxy.answer = () => undefined;
    await observed.witness.agreesWith(client, namespace);
    expect(observed.relists).toContain("expired");
    expect(observed.witness.story.slice(3).sort()).toEqual([
      "added new",
      "added remade",
      "deleted remade",
      "deleted removed",
    ]);
    const story = observed.witness.story;
    expect(story.lastIndexOf("added remade")).toBeGreaterThan(story.indexOf("deleted remade"));
    await through.close();
  });

  test("lists anew when the server's data was wiped and its versions start over", async () => {
    for (let index = 0; index < 20; index++) await create(`lost-${index}`);
    await using observed = observe(client);
    await observed.informer.synced();
    await controlPlane.apiServer.kill();
    await controlPlane.etcd.wipe();
    await controlPlane.etcd.start();
    await controlPlane.apiServer.start();
    await client.create(Namespaces, { metadata: { name: namespace } });
    await create("first");
    await observed.witness.agreesWith(client, namespace);
    expect(observed.relists).toEqual(["start", "reset"]);
    expect(observed.witness.ended).toBe(20);
  });
});

const invalid = {
  apiVersion: "v1",
  kind: "Status",
  status: "Failure",
  reason: "Invalid",
  message: "sendInitialEvents is forbidden for watch",
  code: 422,
};
