import { expect, test } from "vitest";
import type { ServedResource } from "./resource.ts";
import { at, create, type Given, givenRegistry, make, patchOf, refusalOf, watchOf, write } from "./testing/given.ts";
import { configMaps, deployments, namespaces, pods } from "./testing/kinds.ts";
import type { DeleteOptions } from "./verbs.ts";

function del(given: Given, resource: ServedResource, name: string, options: Partial<DeleteOptions> = {}) {
  return given.verbs.delete(at(resource, name), { isDryRun: false, ...options }, given.caller);
}

const isThere = (given: Given, table: string, key: string) => given.store.table(table).newest(key) !== undefined;

test("is gone at once where nothing holds it, and answers with a Status", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a"));
  const { isGone, answer } = await del(given, configMaps, "a");
  expect(isGone).toBe(true);
  expect(answer).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "a", kind: "configmaps", uid: object.metadata.uid },
  });
  expect(isThere(given, "configmaps", "default/a")).toBe(false);
  expect(await refusalOf(del(given, configMaps, "a"))).toBe(`404 NotFound: configmaps "a" not found`);
});

test("tells of a group in its Status", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d"));
  const { answer } = await del(given, deployments, "d");
  expect(answer).toMatchObject({ details: { group: "apps", kind: "deployments" } });
});

test("deletes nothing but what the preconditions name", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, deployments, make(deployments, "d"));
  const { uid, resourceVersion } = object.metadata;
  expect(await refusalOf(del(given, deployments, "d", { uid: "x" }))).toBe(
    `409 Conflict: Operation cannot be fulfilled on Deployment.apps "d": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
  expect(await refusalOf(del(given, deployments, "d", { resourceVersion: "1" }))).toBe(
    `409 Conflict: Operation cannot be fulfilled on Deployment.apps "d": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
  );
  expect((await del(given, deployments, "d", { uid, resourceVersion })).isGone).toBe(true);
});

test("waits for finalizers, marked and with a generation more", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d", { metadata: { finalizers: ["x.io/y"] } }));
  const { isGone, answer } = await del(given, deployments, "d");
  expect(isGone).toBe(false);
  expect(answer).toMatchObject({
    metadata: {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: ["x.io/y"],
    },
  });
  const { revision } = given.store;
  await given.clock.advance(5000);
  const again = await del(given, deployments, "d");
  expect(again.object).toEqual(answer);
  expect(given.store.revision).toBe(revision);
});

const policies: Record<
  string,
  { finalizers: string[]; policy?: DeleteOptions["propagationPolicy"]; want: string[] | undefined }
> = {
  "Background leaves none": { finalizers: [], policy: "Background", want: undefined },
  "Foreground adds its own": { finalizers: ["x.io/y"], policy: "Foreground", want: ["x.io/y", "foregroundDeletion"] },
  "Orphan adds its own": { finalizers: [], policy: "Orphan", want: ["orphan"] },
  "Orphan takes the place of Foreground": {
    finalizers: ["foregroundDeletion", "x.io/y"],
    policy: "Orphan",
    want: ["x.io/y", "orphan"],
  },
  "Background takes away both": { finalizers: ["orphan", "x.io/y"], policy: "Background", want: ["x.io/y"] },
  "no policy keeps what the object asks for": { finalizers: ["x.io/y", "orphan"], want: ["x.io/y", "orphan"] },
  "no policy at all": { finalizers: [], want: undefined },
};
for (const [name, { finalizers, policy, want }] of Object.entries(policies)) {
  test(`propagation: ${name}`, async () => {
    await using given = await givenRegistry();
    await create(given, configMaps, make(configMaps, "a", { metadata: { finalizers } }));
    const { object, isGone } = await del(given, configMaps, "a", policy ? { propagationPolicy: policy } : {});
    expect(isGone).toBe(want === undefined);
    if (want) expect(object.metadata.finalizers).toEqual(want);
  });
}

test("the default of a kind holds where nobody says anything", async () => {
  const orphaning = { ...configMaps, strategy: { ...configMaps.strategy, defaultPropagation: "Orphan" as const } };
  await using given = await givenRegistry([], [orphaning]);
  await create(given, orphaning, make(orphaning, "a"));
  expect((await del(given, orphaning, "a")).object.metadata.finalizers).toEqual(["orphan"]);
});

test("gives pods time, which later requests can only shorten", async () => {
  await using given = await givenRegistry();
  await create(given, pods, make(pods, "p"));
  const first = await del(given, pods, "p", { gracePeriodSeconds: 20 });
  expect(first.object.metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:20Z",
    deletionGracePeriodSeconds: 20,
    generation: 2,
  });
  for (const gracePeriodSeconds of [30, 20, undefined]) {
    const again = await del(given, pods, "p", gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
    expect(again.answer).toBe(first.object);
  }
  const shorter = await del(given, pods, "p", { gracePeriodSeconds: 10 });
  expect(shorter.object.metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:10Z",
    deletionGracePeriodSeconds: 10,
    generation: 2,
  });
  await given.clock.advance(9000);
  const late = await del(given, pods, "p", { gracePeriodSeconds: 5 });
  expect(late.object.metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:00:09Z",
    deletionGracePeriodSeconds: 1,
  });
  const last = await del(given, pods, "p", { gracePeriodSeconds: 0 });
  expect(last.isGone).toBe(true);
  expect(last.answer).toMatchObject({ kind: "Pod", metadata: { deletionGracePeriodSeconds: 0 } });
  expect(isThere(given, "pods", "default/p")).toBe(false);
});

test("takes a grace below zero for one second", async () => {
  await using given = await givenRegistry();
  await create(given, pods, make(pods, "p"));
  expect((await del(given, pods, "p", { gracePeriodSeconds: -5 })).object.metadata.deletionGracePeriodSeconds).toBe(1);
});

test("shows watchers the mark before the end", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, pods, make(pods, "p"));
  const watch = await watchOf(given, pods, { resourceVersion: object.metadata.resourceVersion });
  const { object: last } = await del(given, pods, "p", { gracePeriodSeconds: 0 });
  const [marked, gone] = await watch.frames(2);
  expect(marked).toMatchObject({ type: "MODIFIED", object: { metadata: { deletionGracePeriodSeconds: 0 } } });
  expect(gone).toMatchObject({
    type: "DELETED",
    object: { metadata: { resourceVersion: last.metadata.resourceVersion } },
  });
  watch.stop();
});

test("a pod with finalizers outlives its grace", async () => {
  await using given = await givenRegistry();
  await create(given, pods, make(pods, "p", { metadata: { finalizers: ["x.io/y"] } }));
  const { isGone, object } = await del(given, pods, "p", { gracePeriodSeconds: 0 });
  expect(isGone).toBe(false);
  expect(object.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ["x.io/y"] });
});

test("a pod that is given time stays without finalizers", async () => {
  await using given = await givenRegistry();
  await create(given, pods, make(pods, "p", { metadata: { finalizers: ["x.io/y"] } }));
  await del(given, pods, "p", { gracePeriodSeconds: 20 });
  const open = patchOf("merge", { metadata: { finalizers: null } });
  await given.verbs.patch(at(pods, "p"), "", open, write, given.caller);
  expect(isThere(given, "pods", "default/p")).toBe(true);
});

test("a dry run changes nothing, and answers as if it had", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a"));
  const { revision } = given.store;
  expect((await del(given, configMaps, "a", { isDryRun: true })).answer).toMatchObject({ status: "Success" });
  const held = await del(given, configMaps, "a", { isDryRun: true, propagationPolicy: "Foreground" });
  expect(held.answer).toMatchObject({
    metadata: { finalizers: ["foregroundDeletion"], deletionGracePeriodSeconds: 0 },
  });
  await create(given, pods, make(pods, "p"));
  expect((await del(given, pods, "p", { isDryRun: true, gracePeriodSeconds: 0 })).isGone).toBe(true);
  expect(given.store.revision).toBe(revision + 1);
  expect(given.store.table("configmaps").newest("default/a")).toBe(object);
});

test("a namespace is marked first, and goes when it is empty", async () => {
  await using given = await givenRegistry();
  await create(given, namespaces, make(namespaces, "nn"));
  expect(await refusalOf(del(given, namespaces, "nn", { uid: "x" }))).toMatch(
    /^409 Conflict: Operation cannot be fulfilled on namespaces "nn": Precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]+$/,
  );
  const { isGone, answer } = await del(given, namespaces, "nn");
  expect(isGone).toBe(false);
  expect(answer).toMatchObject({
    metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: { phase: "Terminating" },
  });
  expect((answer as { metadata: object }).metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  expect((await del(given, namespaces, "nn")).answer).toBe(answer);
});

test("asks the admissions, unless the preconditions fail already", async () => {
  const seen: string[] = [];
  await using given = await givenRegistry([
    { name: "watcher", check: ({ verb, old }) => void seen.push(`${verb} ${old?.metadata.name}`) },
  ]);
  await create(given, configMaps, make(configMaps, "a"));
  seen.length = 0;
  await refusalOf(del(given, configMaps, "a", { uid: "x" }));
  expect(seen).toEqual([]);
  await del(given, configMaps, "a");
  expect(seen).toEqual(["delete a"]);
});

test("a collection goes by selector and by page", async () => {
  await using given = await givenRegistry();
  for (const name of ["a", "b", "c"]) await create(given, configMaps, make(configMaps, name));
  const page = await given.verbs.deleteCollection(
    configMaps,
    "default",
    { limit: 2 },
    { isDryRun: false },
    given.caller,
  );
  expect(page.items.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect(given.store.table("configmaps").size).toBe(1);
  const rest = await given.verbs.deleteCollection(configMaps, "default", {}, { isDryRun: true }, given.caller);
  expect(rest.items).toHaveLength(1);
  expect(given.store.table("configmaps").size).toBe(1);
});
