import { type ResourceType, resourceName } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { HastyClock } from "../testing/hasty-clock.ts";
import { json, refuse, ScriptedServer } from "../testing/scripted-server.ts";
import type { Budget } from "./budget.ts";
import { createDiscovery } from "./discovery.ts";
import { createClient } from "./rest-client.ts";

const pod = { resource: "pods", scope: "Namespaced", responseKind: { kind: "Pod" } };
const node = { resource: "nodes", scope: "Cluster", responseKind: { kind: "Node" } };
const route = { resource: "tlsroutes", scope: "Namespaced", responseKind: { kind: "TLSRoute" } };

const gateway = "gateway.networking.k8s.io";

function groups(...items: object[]) {
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items };
}

const core = groups({ metadata: {}, versions: [{ version: "v1", resources: [pod, node] }] });
const withRoutes = groups({
  metadata: { name: gateway },
  versions: [
    { version: "v1", resources: [route], freshness: "Current" },
    { version: "v1alpha2", resources: [route] },
  ],
});

const legacy: Record<string, object> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "metrics.k8s.io", versions: [{ version: "v1beta1" }], preferredVersion: { version: "v1beta1" } },
      {
        name: gateway,
        versions: [{ version: "v1alpha2" }, { version: "v1" }],
        preferredVersion: { version: "v1" },
      },
    ],
  },
  "/api/v1": {
    resources: [
      { name: "pods", kind: "Pod", namespaced: true },
      { name: "pods/log", kind: "Pod", namespaced: true },
      { name: "nodes", kind: "Node", namespaced: false },
    ],
  },
  [`/apis/${gateway}/v1`]: { resources: [{ name: "tlsroutes", kind: "TLSRoute", namespaced: true }] },
  [`/apis/${gateway}/v1alpha2`]: { resources: [{ name: "tlsroutes", kind: "TLSRoute", namespaced: true }] },
};

const wantAll = [
  "v1 pods Pod namespaced",
  "v1 nodes Node cluster",
  `v1 tlsroutes.${gateway} TLSRoute namespaced`,
  `v1alpha2 tlsroutes.${gateway} TLSRoute namespaced`,
];

function describeType(type: ResourceType): string {
  return `${type.version} ${resourceName(type)} ${type.kind} ${type.namespaced ? "namespaced" : "cluster"}`;
}

/** A server in memory that counts what it is asked; `answers` may be changed as it goes. */
function served(answers: Record<string, object>, budget?: Budget) {
  const asked: string[] = [];
  const clock = new FakeClock();
  const discovery = createDiscovery(
    async <T>(path: string) => {
      asked.push(path);
      await settle();
      const answer = answers[path];
      if (!answer) throw new Error(`${path} is away`);
      return structuredClone(answer) as T;
    },
    clock,
    budget,
  );
  return { answers, asked, clock, discovery };
}

describe("what a server serves", () => {
  test("is read from its aggregated answer, in two requests", async () => {
    await using server = await ScriptedServer.start((response, request) =>
      json(request.url === "/api" ? core : withRoutes)(response, request),
    );
    const client = createClient({ connection: server.connection() });
    expect((await client.discovery.all()).map(describeType)).toEqual(wantAll);
    expect(server.seen.map(({ url }) => url).sort()).toEqual(["/api", "/apis"]);
    for (const { headers } of server.seen) {
      expect(headers.accept).toBe(
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
      );
    }
    await client.close();
  });

  test("is read version by version from an older one, where a group that is down hides no other", async () => {
    await using server = await ScriptedServer.start((response, request) => {
      const answer = legacy[request.url];
      return (answer ? json(answer) : refuse(503, { message: "its server is down" }))(response, request);
    });
    const client = createClient({ connection: server.connection(), clock: new HastyClock() });
    expect((await client.discovery.all()).map(describeType)).toEqual(wantAll);
    await client.close();
  });

  test("is unknown where the core group cannot be read", async () => {
    const { "/api/v1": _, ...broken } = legacy;
    await expect(served(broken).discovery.all()).rejects.toThrow("/api/v1 is away");
  });

  test.each([
    { what: "versions without resources", item: { metadata: { name: "down" }, versions: [{ version: "v1" }] } },
    {
      what: "resources without a kind",
      item: { metadata: { name: "down" }, versions: [{ version: "v1", resources: [{ resource: "x", scope: "" }] }] },
    },
  ])("leaves out a group that is down ($what), and no other", async ({ item }) => {
    const apis = groups(item, ...withRoutes.items);
    const { discovery } = served({ "/api": core, "/apis": apis });
    expect((await discovery.all()).map(describeType)).toEqual(wantAll);
  });
});

describe("a kind", () => {
  test.each([
    { wanted: { group: gateway, kind: "TLSRoute" }, want: `v1 tlsroutes.${gateway} TLSRoute namespaced` },
    {
      wanted: { group: gateway, kind: "TLSRoute", version: "v1alpha2" },
      want: `v1alpha2 tlsroutes.${gateway} TLSRoute namespaced`,
    },
    { wanted: { group: "", kind: "Node" }, want: "v1 nodes Node cluster" },
    { wanted: { group: gateway, kind: "TLSRoute", version: "v2" }, want: undefined },
    { wanted: { group: "", kind: "TLSRoute" }, want: undefined },
  ])("$wanted is $want", async ({ wanted, want }) => {
    for (const answers of [{ "/api": core, "/apis": withRoutes }, legacy]) {
      const found = await served(answers).discovery.find(wanted);
      expect(found && describeType(found)).toBe(want);
    }
  });

  test("that is known is not asked for again, and callers at the same time ask once", async () => {
    const { discovery, asked, clock } = served({ "/api": core, "/apis": withRoutes });
    await Promise.all([
      discovery.find({ group: "", kind: "Pod" }),
      discovery.find({ group: gateway, kind: "TLSRoute" }),
      discovery.all(),
    ]);
    await clock.advance(599_999);
    await discovery.find({ group: "", kind: "Pod" });
    await discovery.all();
    expect(asked).toEqual(["/api", "/apis"]);
  });

  test("that was served is looked for anew after ten minutes, since an upgrade may have taken it away", async () => {
    const { discovery, clock, answers } = served({ "/api": core, "/apis": withRoutes });
    await discovery.all();
    answers["/apis"] = groups();
    await clock.advance(600_000);
    expect(await discovery.find({ group: gateway, kind: "TLSRoute" })).toBeUndefined();
  });

  test("that is missing is asked for again, but not more often than every five seconds", async () => {
    const { discovery, asked, clock, answers } = served({ "/api": core, "/apis": groups() });
    const find = () => discovery.find({ group: gateway, kind: "TLSRoute" });
    expect(await find()).toBeUndefined();
    answers["/apis"] = withRoutes;
    await clock.advance(4_999);
    expect(await find()).toBeUndefined();
    expect(asked.length).toBe(2);
    await clock.advance(1);
    expect(await find()).toMatchObject({ version: "v1", resource: "tlsroutes" });
    expect(asked.length).toBe(4);
  });
});

describe("a failure", () => {
  test("is told to all who wait, and does not stick", async () => {
    const { discovery, answers } = served({ "/apis": withRoutes });
    const both = await Promise.allSettled([discovery.all(), discovery.find({ group: "", kind: "Pod" })]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    answers["/api"] = core;
    expect((await discovery.all()).length).toBe(4);
  });

  test("to ask again leaves what is known", async () => {
    const { discovery, answers, clock } = served({ "/api": core, "/apis": groups() });
    await discovery.all();
    delete answers["/api"];
    await clock.advance(5_000);
    await expect(discovery.find({ group: gateway, kind: "TLSRoute" })).rejects.toThrow("/api is away");
    expect(await discovery.find({ group: "", kind: "Pod" })).toMatchObject({ resource: "pods" });
  });

  test("after its caller has left is nobody's", async () => {
    const { discovery } = served({});
    const signal = AbortSignal.abort("left before");
    await expect(discovery.all({ signal })).rejects.toBe("left before");
    const abort = new AbortController();
    const leaving = discovery.find({ group: "", kind: "Pod" }, { signal: abort.signal });
    abort.abort("left since");
    await expect(leaving).rejects.toBe("left since");
    await settle();
    await settle();
  });
});

test("one caller who leaves does not take the answer from the others", async () => {
  const { discovery, asked } = served({ "/api": core, "/apis": withRoutes });
  const abort = new AbortController();
  const leaving = discovery.all({ signal: abort.signal });
  const staying = discovery.find({ group: "", kind: "Pod" });
  abort.abort("left");
  await expect(leaving).rejects.toBe("left");
  expect(await staying).toMatchObject({ resource: "pods" });
  expect(asked).toEqual(["/api", "/apis"]);
});

describe("a server that is not trusted", () => {
  const budget: Budget = { items: 4, pages: 1, groupVersions: 3, discoveryMs: 10_000 };
  const versions = (count: number) => Array.from({ length: count }, (_, n) => ({ version: `v${n}` }));

  test("may serve what others do", async () => {
    for (const answers of [
      { "/api": core, "/apis": withRoutes },
      { ...legacy, "/apis": { kind: "APIGroupList", groups: [] } },
    ]) {
      expect((await served(answers, budget).discovery.all()).length).toBeGreaterThan(1);
    }
  });

  test.each([
    { what: "told", apis: groups({ metadata: { name: "a" }, versions: versions(3) }) },
    { what: "to be asked for", apis: { kind: "APIGroupList", groups: [{ name: "a", versions: versions(3) }] } },
  ])("is not believed too many versions of groups, $what", async ({ apis }) => {
    const { discovery, asked } = served({ "/api": core, "/apis": apis }, budget);
    await expect(discovery.all()).rejects.toThrow("the server answers with more than 3 versions of groups");
    expect(asked).toEqual(["/api", "/apis"]);
  });

  test("is not believed too many resources", async () => {
    const resources = [route, route, route];
    const apis = groups({ metadata: { name: "a" }, versions: [{ version: "v1", resources }] });
    const { discovery } = served({ "/api": core, "/apis": apis }, budget);
    await expect(discovery.all()).rejects.toThrow("the server answers with more than 4 resources");
  });

  test.each([
    { what: "from the start", answers: {} },
    { what: "half-way, at a group that would be left out if it were down", answers: legacy },
  ])("has ten seconds for all of it, and nothing is left behind ($what)", async ({ answers }) => {
    const clock = new FakeClock();
    const known: Record<string, object> = answers;
    const discovery = createDiscovery(
      <T>(path: string, _: string, signal: AbortSignal) =>
        path in known && !path.startsWith(`/apis/${gateway}`)
          ? Promise.resolve(known[path] as T)
          : new Promise<T>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      clock,
      { ...budget, groupVersions: 9 },
    );
    const refused = expect(discovery.all()).rejects.toThrow("the server does not say in 10000 ms what it serves");
    await clock.advance(10_000);
    await refused;
    expect(clock.timers).toBe(0);
  });
});
