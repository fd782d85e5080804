import { expect, test } from "vitest";
import { createVerbs } from "./create-verbs.ts";
import { dropRepeatedOwners } from "./metadata.ts";
import type { ServedResource } from "./resource.ts";
import { body, create, dryRun, givenRegistry, make, refusalOf, strict, write } from "./testing/given.ts";
import { configMaps, deployments, foos, namespaces, secrets } from "./testing/kinds.ts";

const refusals: Record<string, { resource?: ServedResource; sent: unknown; want: string }> = {
  "another kind that is served": {
    sent: make(secrets, "a"),
    want: `400 BadRequest: Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion`,
  },
  "another version": {
    sent: { ...make(configMaps, "a"), apiVersion: "v2" },
    want: `400 BadRequest: ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"`,
  },
  "a list": {
    sent: [],
    want: `400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
  },
  "a kind that is no text": {
    sent: { kind: 5, apiVersion: "v1", metadata: { name: "a" } },
    want: `400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5,"apiVersion":"v1","m ...)`,
  },
  "what is new of a kind that is going": {
    resource: { ...configMaps, takesNothingNew: "no more" },
    sent: make(configMaps, "a"),
    want: `403 Forbidden: configmaps "a" is forbidden: no more`,
  },
  nothing: {
    sent: null,
    want: `422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required`,
  },
  "no name": {
    sent: { kind: "ConfigMap", apiVersion: "v1" },
    want: `422 Invalid: ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required`,
  },
  "another namespace": {
    sent: make(configMaps, "a", { metadata: { namespace: "other" } }),
    want: "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
  },
  "a version": {
    sent: make(configMaps, "a", { metadata: { resourceVersion: "5" } }),
    want: "500 -: resourceVersion should not be set on objects to be created",
  },
  "what is there": {
    sent: make(configMaps, "taken"),
    want: `409 AlreadyExists: configmaps "taken" already exists`,
  },
  "what is there and ends": {
    sent: make(configMaps, "ending"),
    want: `409 AlreadyExists: object is being deleted: configmaps "ending" already exists`,
  },
  "a custom object that does not say what it is": {
    resource: foos,
    sent: { metadata: { name: "a" } },
    want: `400 BadRequest: the object provided is unrecognized (must be of type Foo): Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`,
  },
  "a custom object without its version": {
    resource: foos,
    sent: { kind: "Foo", metadata: { name: "a" } },
    want: "400 BadRequest: the API version in the data () does not match the expected API version (x.io/v1)",
  },
  "a custom object of another kind": {
    resource: foos,
    sent: { ...make(foos, "a"), kind: "Bar" },
    want: `422 Invalid: Bar.x.io "a" is invalid: kind: Invalid value: "Bar": must be Foo`,
  },
};

for (const [name, { resource = configMaps, sent, want }] of Object.entries(refusals)) {
  test(`refuses ${name}`, async () => {
    await using given = await givenRegistry();
    await create(given, configMaps, make(configMaps, "taken"));
    await create(given, configMaps, make(configMaps, "ending", { metadata: { finalizers: ["x.io/y"] } }));
    await given.verbs.delete(
      { resource: configMaps, namespace: "default", name: "ending" },
      { isDryRun: false },
      given.caller,
    );
    const created = given.verbs.create(
      resource,
      "default",
      body(sent),
      { isDryRun: false, fieldValidation: "Warn" },
      given.caller,
    );
    expect(await refusalOf(created)).toBe(want);
  });
}

test("fills in what the server decides, and takes none of it from the client", async () => {
  await using given = await givenRegistry();
  const sent = make(deployments, "a", {
    metadata: {
      uid: "mine",
      generation: 7,
      creationTimestamp: "2020-01-01T00:00:00Z",
      deletionTimestamp: "2020-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 3,
    },
    status: { replicas: 4 },
  });
  const { object, isNew } = await create(given, deployments, sent);
  expect(isNew).toBe(true);
  expect(object).toMatchObject({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", namespace: "default", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
  });
  expect(object.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(0);
  expect(object).not.toHaveProperty("status");
  expect(object.metadata).not.toHaveProperty("deletionTimestamp");
  expect(object.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
});

test("a kind may say that its objects are created together with their status, as nodes are", async () => {
  const brought = { ...deployments, strategy: { ...deployments.strategy, bringsStatus: true } };
  await using given = await givenRegistry([], [namespaces, brought]);
  const { object } = await create(given, brought, make(brought, "a", { status: { replicas: 4 } }));
  expect(object.status).toEqual({ replicas: 4 });
});

test("keeps a generation that its kind does not count, as Kubernetes does", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a", { metadata: { generation: 7 } }));
  expect(object.metadata.generation).toBe(7);
});

test("makes a name of five letters and digits from generateName", async () => {
  await using given = await givenRegistry();
  const sent = make(configMaps, "", { metadata: { generateName: "web-" } });
  const { object } = await create(given, configMaps, sent);
  expect(object.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(object.metadata.generateName).toBe("web-");
});

test("says so where every name that it makes is taken", async () => {
  await using given = await givenRegistry();
  const always = createVerbs({ ...given.registry, random: () => 0 });
  const sent = () => body(make(configMaps, "", { metadata: { generateName: "web-" } }));
  await always.create(configMaps, "default", sent(), write, given.caller);
  expect(await refusalOf(always.create(configMaps, "default", sent(), write, given.caller))).toBe(
    `409 AlreadyExists: configmaps "web-bbbbb" already exists, the server was not able to generate a unique name for the object`,
  );
});

test("takes another name where the first is taken", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "web-bbbbb"));
  // The uid takes sixteen numbers; then come the names.
  let drawn = 0;
  const registry = { ...given.registry, random: () => (drawn++ < 21 ? 0 : 0.99) };
  const sent = body(make(configMaps, "", { metadata: { generateName: "web-" } }));
  const { object } = await createVerbs(registry).create(configMaps, "default", sent, write, given.caller);
  expect(object.metadata.name).toBe("web-99999");
});

test("cuts a long generateName, so that the name stays short enough", async () => {
  await using given = await givenRegistry();
  const sent = make(configMaps, "", { metadata: { generateName: "a".repeat(80) } });
  const { object } = await create(given, configMaps, sent);
  expect(object.metadata.name).toHaveLength(63);
});

test("warns of unknown and repeated fields, or refuses them where it is asked to", async () => {
  await using given = await givenRegistry();
  const sent = () => body({ ...make(configMaps, "a", { metadata: { foo: 1 } }), bar: 2, data: { a: "2" } }, ["data.a"]);
  const post = (fieldValidation: "Strict" | "Warn" | "Ignore") =>
    given.verbs.create(configMaps, "default", sent(), { isDryRun: true, fieldValidation }, given.caller);
  expect(await refusalOf(post("Strict"))).toBe(
    `400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", unknown field "bar", duplicate field "data.a"`,
  );
  await post("Ignore");
  expect(given.warnings).toEqual([]);
  const { object } = await post("Warn");
  expect(given.warnings).toEqual([`unknown field "metadata.foo"`, `unknown field "bar"`, `duplicate field "data.a"`]);
  expect(object).not.toHaveProperty("bar");
});

test("names the repeated fields of a custom object first", async () => {
  await using given = await givenRegistry();
  const sent = body({ ...make(foos, "a"), spec: { replicas: 1, zzz: 1 } }, ["spec.replicas"]);
  expect(await refusalOf(given.verbs.create(foos, "default", sent, strict, given.caller))).toBe(
    `400 BadRequest: Foo in version "v1" cannot be handled as a Foo: strict decoding error: duplicate field "spec.replicas", unknown field "spec.zzz"`,
  );
});

test("stores nothing in a dry run, and answers as if it had", async () => {
  await using given = await givenRegistry();
  const { object, isNew } = await create(given, configMaps, make(configMaps, "a"), dryRun);
  expect(isNew).toBe(true);
  expect(object.metadata.uid).toBeDefined();
  expect(object.metadata.resourceVersion).toBeUndefined();
  expect(given.store.table("configmaps").newest("default/a")).toBeUndefined();
  await create(given, configMaps, make(configMaps, "a"));
  expect(await refusalOf(create(given, configMaps, make(configMaps, "a"), dryRun))).toMatch(/already exists/);
});

test("drops the namespace of a kind without", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, namespaces, make(namespaces, "nn", { metadata: { namespace: "zz" } }));
  expect(object.metadata).not.toHaveProperty("namespace");
  expect(object).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
});

test("compares the owners of an object in one pass", async () => {
  await using given = await givenRegistry();
  let reads = 0;
  const owners = Array.from({ length: 2_000 }, (_, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    name: `p${i}`,
    get uid() {
      reads++;
      return `u${i % 1_000}`;
    },
  }));
  const draft = make(configMaps, "a", { metadata: { ownerReferences: owners } });
  dropRepeatedOwners(draft, given.caller, false);
  expect(draft.metadata.ownerReferences).toHaveLength(2_000);
  expect(reads).toBeLessThanOrEqual(5 * owners.length);
});

test("names an owner once", async () => {
  await using given = await givenRegistry();
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const { object } = await create(
    given,
    configMaps,
    make(configMaps, "a", { metadata: { ownerReferences: [owner, { ...owner, name: "q" }, owner] } }),
  );
  expect(object.metadata.ownerReferences).toEqual([owner, { ...owner, name: "q" }]);
  expect(given.warnings).toEqual([
    ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u",
  ]);
});

test("notes who owns what", async () => {
  await using given = await givenRegistry();
  const { object } = await create(given, configMaps, make(configMaps, "a", { data: { k: "v" } }));
  expect(object.metadata.managedFields).toMatchObject([
    { manager: "test", operation: "Update", apiVersion: "v1", fieldsV1: { "f:data": { ".": {}, "f:k": {} } } },
  ]);
});

test("asks the admissions twice: before and after validation", async () => {
  const seen: string[] = [];
  await using given = await givenRegistry([
    {
      name: "watcher",
      admit: ({ verb, name, draft }) => {
        seen.push(`admit ${verb} ${name}`);
        if (draft) draft.data = { added: "by admission" };
      },
      check: ({ verb, name, draft }) => void seen.push(`check ${verb} ${name} ${JSON.stringify(draft?.data)}`),
    },
  ]);
  const { object } = await create(given, configMaps, make(configMaps, "", { metadata: { generateName: "g-" } }));
  expect(seen).toEqual(["admit create ", `check create ${object.metadata.name} {"added":"by admission"}`]);
  expect(object.data).toEqual({ added: "by admission" });
  seen.length = 0;
  expect(await refusalOf(create(given, configMaps, make(configMaps, "B")))).toMatch(/is invalid/);
  expect(seen).toEqual(["admit create B"]);
});

test("what YAML says twice is told by its line, before all else", async () => {
  await using given = await givenRegistry();
  const repeated = ['line 5: key "a" already set in map', 'line 6: key "a" already set in map'];
  const sent = () => ({ ...body({ ...make(configMaps, "a"), strange: 1 }), repeated });
  const refused = given.verbs.create(configMaps, "default", sent(), strict, given.caller);
  expect(await refusalOf(refused)).toBe(
    `400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${repeated[0]}\n  ${repeated[1]}, unknown field "strange"`,
  );
  await given.verbs.create(configMaps, "default", sent(), write, given.caller);
  expect(given.warnings).toEqual([...repeated, 'unknown field "strange"']);
});

test("what is refused for what is there is there for whoever is told so", async () => {
  await using given = await givenRegistry();
  const first = create(given, configMaps, make(configMaps, "a"));
  const found = create(given, configMaps, make(configMaps, "a")).then(
    () => "made twice",
    () => given.store.table("configmaps").get("default/a")?.metadata.name,
  );
  expect(await found).toBe("a");
  await first;
});
