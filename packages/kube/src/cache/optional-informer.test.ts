import { defineResource, type ResourceType } from "@berg/apimachinery";
import { expect, test } from "vitest";
import type { ConfigMap } from "../kinds.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeServer } from "../testing/fake-server.ts";
import { refusal } from "../testing/refusal.ts";
import { Informer } from "./informer.ts";
import { OptionalInformer } from "./optional-informer.ts";
import { OwnWrites } from "./own-writes.ts";

const route = (version: string) =>
  defineResource<ConfigMap>({ group: "example.com", version, resource: "routes", kind: "Route", namespaced: true });
const kind = { group: "example.com", kind: "Route", versions: ["v1", "v1alpha2"] };

function world(...served: ResourceType[]) {
  const server = new FakeServer();
  const clock = new FakeClock();
  const started: string[] = [];
  const stop = new AbortController();
  const discovery = {
    find: async (wanted: { kind: string; version?: string }) =>
      served.find((type) => type.kind === wanted.kind && (wanted.version ?? type.version) === type.version),
    all: async () => served,
  };
  const start = (type: ResourceType<ConfigMap>) => {
    started.push(type.version);
    const informer = new Informer<ConfigMap>({ client: server.client, type, clock });
    void informer.run(stop.signal);
    return informer;
  };
  const make = (wanted: typeof kind | { group: string; kind: string } = kind) =>
    new OptionalInformer<ConfigMap>(wanted, discovery, start);
  const { signal } = stop;
  const end = async () => {
    stop.abort();
    await settle();
  };
  return { server, served, started, make, signal, clock, end };
}

test.each([
  { served: [route("v1alpha2"), route("v1")], versions: kind.versions, want: ["v1"] },
  { served: [route("v1alpha2"), route("v1beta1")], versions: kind.versions, want: ["v1alpha2"] },
  { served: [route("v2")], versions: kind.versions, want: [] },
  { served: [route("v2"), route("v1")], versions: undefined, want: ["v2"] },
])("of the versions $versions, the best that is served: $want", async ({ served, versions, want }) => {
  const { make, started, signal, end } = world(...served);
  const { group } = kind;
  const optional = make(versions ? { group, kind: "Route", versions } : { group, kind: "Route" });
  await optional.look(signal);
  await optional.synced(signal);
  expect([started, optional.informer?.type.version ?? "none"]).toEqual([want, want[0] ?? "none"]);
  await end();
});

test("until it is found nothing is there, and what was asked for before holds for it then", async () => {
  const { server, served, make, signal, end } = world();
  server.put("a", { owner: "x" });
  const optional = make();
  optional.ensureIndex("owner", ({ data }) => (data?.owner ? [data.owner] : []));
  const told: string[] = [];
  optional.onChange(({ type, object }) => told.push(`${type} ${object.metadata.name}`));
  const left: string[] = [];
  const leave = optional.onChange(({ object }) => left.push(object.metadata.name));
  expect(await optional.look(signal)).toBeUndefined();
  expect([optional.get("default/a"), optional.list(), optional.byIndex("owner", "x")]).toEqual([undefined, [], []]);
  leave();

  served.push(route("v1"));
  await optional.look(signal);
  await optional.synced(signal);
  expect(await optional.look(signal)).toBe(optional.informer);
  expect(optional.byIndex("owner", "x").map(({ metadata }) => metadata.name)).toEqual(["a"]);
  const leaveLater = optional.onChange(({ object }) => left.push(object.metadata.name));
  leaveLater();
  server.put("b", {});
  expect([told, left]).toEqual([["added a", "added b"], ["a"]]);
  await end();
});

test("however many look at once, it is started once", async () => {
  const { make, started, signal, end } = world(route("v1"));
  const optional = make();
  const looks = await Promise.all([optional.look(signal), optional.look(signal), optional.look(signal)]);
  expect([new Set(looks).size, started]).toEqual([1, ["v1"]]);
  await end();
});

test("own writes can stand on it from the beginning", async () => {
  const { server, served, make, signal, end } = world();
  const optional = make();
  const view = new OwnWrites(optional, { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) });
  view.ensureIndex("owner", ({ data }) => (data?.owner ? [data.owner] : []));
  expect(view.byIndex("owner", "x")).toEqual([]);
  served.push(route("v1"));
  await optional.look(signal);
  await optional.synced(signal);
  server.freezeWatches();
  server.put("a", { owner: "x" });
  view.wrote([...server.objects.values()][0] as Parameters<typeof view.wrote>[0]);
  expect(view.byIndex("owner", "x").map(({ metadata }) => metadata.name)).toEqual(["a"]);
  await end();
});

test("what is installed and cannot be listed counts as not served, keeps nobody waiting, and is told of when it can", async () => {
  const { server, make, signal, clock, end } = world(route("v1"));
  server.refusal = refusal(403, { reason: "Forbidden" });
  const optional = make();
  const served: string[] = [];
  optional.onServed(() => served.push(optional.informer?.type.version ?? "too early"));
  const leave = optional.onServed(() => served.push("left"));
  leave();
  expect([await optional.look(signal), await optional.look(signal), optional.informer]).toEqual(
    Array(3).fill(undefined),
  );
  await clock.advance(60_000);
  expect([await optional.look(signal), served]).toEqual([undefined, []]);
  server.refusal = undefined;
  await clock.advance(60_000);
  expect(await optional.look(signal)).toBe(optional.informer);
  expect([optional.informer?.type.version, served]).toEqual(["v1", ["v1"]]);
  await end();
});

test("waiting for it ends with the signal, and at once where nothing was found", async () => {
  const { server, make, signal, end } = world(route("v1"));
  server.down = true;
  const optional = make();
  await optional.synced(signal);
  await optional.look(signal);
  const leaving = new AbortController();
  const wait = optional.synced(leaving.signal);
  leaving.abort(new Error("too late"));
  await expect(wait).rejects.toThrow("too late");
  await end();
});
