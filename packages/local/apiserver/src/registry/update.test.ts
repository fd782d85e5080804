import { expect, test } from "vitest";
import type { AnyObject, ServedResource } from "./resource.ts";
import {
  at,
  body,
  create,
  dryRun,
  type Given,
  givenRegistry,
  make,
  refusalOf,
  remove,
  write,
} from "./testing/given.ts";
import { configMaps, deployments, foos, foosV2, leases } from "./testing/kinds.ts";

function put(
  given: Given,
  resource: ServedResource,
  object: AnyObject,
  { subresource = "", options = write, name = object.metadata.name } = {},
) {
  return given.verbs.update(at(resource, name), subresource, body(object), options, given.caller);
}

const refusals: Record<string, { sent: AnyObject; name?: string; want: RegExp }> = {
  "another name": {
    sent: make(configMaps, "b"),
    name: "a",
    want: /^400 BadRequest: the name of the object \(b\) does not match the name on the URL \(a\)$/,
  },
  "no name": {
    sent: make(configMaps, ""),
    name: "a",
    want: /^400 BadRequest: the name of the object \(a based on URL\) was undeterminable: name must be provided$/,
  },
  "another namespace": {
    sent: make(configMaps, "a", { metadata: { namespace: "x" } }),
    want: /^400 BadRequest: the namespace of the provided object does not match the namespace sent on the request$/,
  },
  "another version": {
    sent: make(configMaps, "a", { metadata: { resourceVersion: "1" } }),
    want: /^409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again$/,
  },
  "a version that is none": {
    sent: make(configMaps, "a", { metadata: { resourceVersion: "abc" } }),
    want: /^500 -: strconv.ParseUint: parsing "abc": invalid syntax$/,
  },
  "another uid": {
    sent: make(configMaps, "a", { metadata: { uid: "x" } }),
    want: /^409 Conflict: Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: \/registry\/configmaps\/default\/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: [0-9a-f-]{36}$/,
  },
  "what is not there": {
    sent: make(configMaps, "nope", { metadata: { uid: "x" } }),
    want: /^404 NotFound: configmaps "nope" not found$/,
  },
  "a mark of deletion": {
    sent: make(configMaps, "a", {
      metadata: { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 4 },
    }),
    want: /^422 Invalid: ConfigMap "a" is invalid: \[metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable, metadata.deletionGracePeriodSeconds: Invalid value: 4: field is immutable\]$/,
  },
};

for (const [name, { sent, want, ...rest }] of Object.entries(refusals)) {
  test(`refuses ${name}`, async () => {
    await using given = await givenRegistry();
    await create(given, configMaps, make(configMaps, "a"));
    expect(await refusalOf(put(given, configMaps, sent, rest))).toMatch(want);
  });
}

test("replaces what was there, and gives it a later version", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, configMaps, make(configMaps, "a", { data: { x: "1", y: "2" } }));
  const sent = make(configMaps, "a", {
    data: { x: "3" },
    metadata: { creationTimestamp: "2020-01-01T00:00:00Z", generation: 9 },
  });
  const { object, isNew } = await put(given, configMaps, sent);
  expect(isNew).toBe(false);
  expect(object.data).toEqual({ x: "3" });
  expect(object.metadata.uid).toBe(before.metadata.uid);
  expect(object.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
  expect(object.metadata).not.toHaveProperty("generation");
  expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
});

test("writes nothing where nothing changes", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, configMaps, make(configMaps, "a", { data: { x: "1" } }));
  await given.clock.advance(5000);
  const { object } = await put(given, configMaps, make(configMaps, "a", { data: { x: "1" } }));
  expect(object).toBe(before);
  expect(given.store.revision).toBe(Number(before.metadata.resourceVersion));
});

test("stores nothing in a dry run, and answers with the version that is there", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, configMaps, make(configMaps, "a"));
  const { object } = await put(given, configMaps, make(configMaps, "a", { data: { x: "1" } }), { options: dryRun });
  expect(object).toMatchObject({ data: { x: "1" }, metadata: { resourceVersion: before.metadata.resourceVersion } });
  expect(given.store.table("configmaps").newest("default/a")).toBe(before);
});

test("wants a version where the kind does", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, foos, make(foos, "a"));
  expect(await refusalOf(put(given, foos, make(foos, "a")))).toBe(
    `422 Invalid: foos.x.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
  );
  const { resourceVersion } = object.metadata;
  await put(given, foos, make(foos, "a", { metadata: { resourceVersion }, spec: { replicas: 2 } }));
});

test("counts changes of what is wanted, and no others", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "a", { spec: { replicas: 1 } }));
  const generationAfter = async (more: Record<string, unknown>, subresource = "") =>
    (await put(given, deployments, make(deployments, "a", more), { subresource })).object.metadata.generation;
  expect(await generationAfter({ spec: { replicas: 1 }, metadata: { labels: { x: "y" } } })).toBe(1);
  expect(await generationAfter({ spec: { replicas: 2 } })).toBe(2);
  expect(await generationAfter({ spec: { replicas: 9 }, status: { replicas: 3 } }, "status")).toBe(2);
  expect(await generationAfter({ spec: { replicas: 2 }, status: { replicas: 8 }, metadata: { generation: 12 } })).toBe(
    2,
  );
});

test("keeps status apart from the rest", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "a", { spec: { replicas: 1 } }));
  const sent = make(deployments, "a", { spec: { replicas: 9 }, status: { replicas: 3 } });
  const { object: ofStatus } = await put(given, deployments, sent, { subresource: "status" });
  expect(ofStatus).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 } });
  const { object: ofMain } = await put(given, deployments, make(deployments, "a", { spec: { replicas: 9 } }));
  expect(ofMain).toMatchObject({ spec: { replicas: 9 }, status: { replicas: 3 } });
});

test("changes nothing but status through the status of a custom kind", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(
    given,
    foos,
    make(foos, "a", { metadata: { labels: { x: "y" } }, spec: { replicas: 1 } }),
  );
  const { resourceVersion } = before.metadata;
  const metadata = { resourceVersion, labels: { x: "z" }, annotations: { q: "r" }, finalizers: ["a.b/c"] };
  const { object } = await put(given, foos, make(foos, "a", { metadata, status: { replicas: 7 } }), {
    subresource: "status",
  });
  expect(object).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 7 }, metadata: { labels: { x: "y" } } });
  expect(object.metadata).not.toHaveProperty("annotations");
  expect(object.metadata).not.toHaveProperty("finalizers");
  expect(object.metadata.managedFields?.map(({ subresource }) => subresource)).toEqual([undefined, "status"]);
});

test("creates what is not there, for kinds that allow it", async () => {
  await using given = await givenRegistry();
  const { isNew } = await put(given, leases, make(leases, "a"));
  expect(isNew).toBe(true);
  expect((await put(given, leases, make(leases, "a", { spec: { holderIdentity: "me" } }))).isNew).toBe(false);
  expect(await refusalOf(put(given, leases, make(leases, "b", { metadata: { uid: "x" } })))).toMatch(
    /UID in object meta: $/,
  );
});

test("asks whether the caller may create before it does", async () => {
  await using given = await givenRegistry();
  given.caller.checkMayCreate = () => {
    throw new Error("may not create");
  };
  await expect(put(given, leases, make(leases, "a"))).rejects.toThrow("may not create");
  expect(given.store.table("leases.coordination.k8s.io").size).toBe(0);
});

test("removes an object with its last finalizer", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a", { metadata: { finalizers: ["x.io/y"] } }));
  await given.verbs.delete(at(configMaps, "a"), remove, given.caller);
  const { object } = await put(given, configMaps, make(configMaps, "a"), { options: dryRun });
  expect(object.metadata).not.toHaveProperty("finalizers");
  expect(given.store.table("configmaps").size).toBe(1);
  await put(given, configMaps, make(configMaps, "a"));
  expect(given.store.table("configmaps").newest("default/a")).toBeUndefined();
});

test("takes no new finalizer on an object that ends", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a", { metadata: { finalizers: ["x.io/y"] } }));
  await given.verbs.delete(at(configMaps, "a"), remove, given.caller);
  const more = make(configMaps, "a", { metadata: { finalizers: ["x.io/y", "z.io/z"] } });
  expect(await refusalOf(put(given, configMaps, more))).toMatch(
    /metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers \[\]string\{"z.io\/z"\}$/,
  );
});

test("serves one object in several versions", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, foosV2, make(foosV2, "a", { spec: { replicas: 1 } }));
  expect(object.apiVersion).toBe("x.io/v2");
  expect(given.store.table("foos.x.io").newest("default/a")?.apiVersion).toBe("x.io/v1");
  const { resourceVersion } = object.metadata;
  const { object: other } = await put(
    given,
    foos,
    make(foos, "a", { metadata: { resourceVersion }, spec: { replicas: 2 } }),
  );
  expect(other.apiVersion).toBe("x.io/v1");
  const read = await given.verbs.get(at(foosV2, "a"), {});
  expect(read).toMatchObject({ apiVersion: "x.io/v2", spec: { replicas: 2 } });
  expect(await given.verbs.get(at(foosV2, "a"), {})).toBe(read);
});
