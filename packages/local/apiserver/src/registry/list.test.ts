import { parseFieldSelector, parseLabelSelector, type StatusError } from "@berg/apimachinery";
import { expect, test } from "vitest";
import type { ServedResource } from "./resource.ts";
import { at, body, create, type Given, givenRegistry, make, refusalOf, write } from "./testing/given.ts";
import { configMaps, foos, namespaces, pods, secrets } from "./testing/kinds.ts";
import type { ListOptions } from "./verbs.ts";

async function givenThree() {
  const given = await givenRegistry();
  for (const name of ["a", "b", "c"]) {
    await create(
      given,
      configMaps,
      make(configMaps, name, { metadata: { labels: { name, odd: name === "b" ? "no" : "yes" } } }),
    );
  }
  return given;
}

const list = (given: Given, options: ListOptions = {}, namespace = "default", resource = configMaps) =>
  given.verbs.list(resource, namespace, options);
const names = ({ items }: { items: readonly { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name);
const token = (fields: object) =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: 3, start: "/a\0", ...fields })).toString("base64url");

const forbiddenMatch = (why: string) =>
  `422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch ${why}`;
const badToken = "400 BadRequest: invalid continue token: continue key is not valid";
const refusals: Record<string, { options: ListOptions; want: string }> = {
  "a match without a version": {
    options: { resourceVersionMatch: "Exact" },
    want: forbiddenMatch("is forbidden unless resourceVersion is provided"),
  },
  "exactly any version": {
    options: { resourceVersionMatch: "Exact", resourceVersion: "0" },
    want: forbiddenMatch(`"exact" is forbidden for resourceVersion "0"`),
  },
  "a match with continue": {
    options: { resourceVersionMatch: "NotOlderThan", resourceVersion: "1", continue: "abc" },
    want: forbiddenMatch("is forbidden when continue is provided"),
  },
  "an unknown match": {
    options: { resourceVersionMatch: "Foo" as "Exact", resourceVersion: "1" },
    want: `422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""`,
  },
  "a version that is none": {
    options: { resourceVersion: "abc" },
    want: `400 BadRequest: invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`,
  },
  "a version with continue": {
    options: { continue: token({}), resourceVersion: "5" },
    want: "400 BadRequest: specifying resource version is not allowed when using continue",
  },
  "a token without a version": {
    options: { continue: token({ rv: 0 }) },
    want: `${badToken}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)`,
  },
  "a token without a key": {
    options: { continue: token({ start: "" }) },
    want: `${badToken}: encoded start key empty (version meta.k8s.io/v1)`,
  },
  "a token of the future": {
    options: { continue: token({ v: "meta.k8s.io/v2" }) },
    want: `${badToken}: server does not recognize this encoded version meta.k8s.io/v2`,
  },
  "a token that climbs": { options: { continue: token({ start: "../x" }) }, want: `${badToken}: ../x` },
  "a token that is none": {
    options: { continue: "eno" },
    want: `${badToken}: invalid character 'z' looking for beginning of value`,
  },
  "an unknown field": {
    options: { fieldSelector: parseFieldSelector("foo=bar") },
    want: `400 BadRequest: "foo" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  },
};
for (const [name, { options, want }] of Object.entries(refusals)) {
  test(`refuses ${name}`, async () => {
    await using given = await givenThree();
    expect(await refusalOf(list(given, options))).toBe(want);
  });
}

test.each([
  [pods, "spec.foo"],
  [foos, "spec.foo"],
  [secrets, "data"],
])("refuses a field that the kind cannot select by", async (resource: ServedResource, field) => {
  await using given = await givenRegistry();
  const selected = list(given, { fieldSelector: parseFieldSelector(`${field}=x`) }, "default", resource);
  expect(await refusalOf(selected)).toBe(`400 BadRequest: field label not supported: ${field}`);
});

test("lists by namespace, in the order of keys", async () => {
  await using given = await givenThree();
  await given.verbs.create(configMaps, "another", body(make(configMaps, "z")), write, given.caller);
  expect(names(await list(given))).toEqual(["a", "b", "c"]);
  const all = await list(given, {}, "");
  expect(names(all)).toEqual(["z", "a", "b", "c"]);
  expect(all.metadata).toEqual({ resourceVersion: String(given.store.revision) });
});

test("selects by label and by field", async () => {
  await using given = await givenThree();
  expect(names(await list(given, { labelSelector: parseLabelSelector("odd=yes") }))).toEqual(["a", "c"]);
  expect(
    names(await list(given, { fieldSelector: parseFieldSelector("metadata.name!=a,metadata.namespace=default") })),
  ).toEqual(["b", "c"]);
  await create(given, secrets, make(secrets, "s", { type: "x" }));
  await create(given, secrets, make(secrets, "t"));
  expect(names(await list(given, { fieldSelector: parseFieldSelector("type=Opaque") }, "default", secrets))).toEqual([
    "t",
  ]);
});

test("pages show one moment, whatever happens in between", async () => {
  await using given = await givenThree();
  const first = await list(given, { limit: 2 });
  expect(names(first)).toEqual(["a", "b"]);
  expect(first.metadata.remainingItemCount).toBe(1);
  const rest = first.metadata.continue as string;
  expect(JSON.parse(Buffer.from(rest, "base64url").toString())).toEqual({
    v: "meta.k8s.io/v1",
    rv: Number(first.metadata.resourceVersion),
    start: "/b\0",
  });
  await given.verbs.delete(at(configMaps, "c"), { isDryRun: false }, given.caller);
  await create(given, configMaps, make(configMaps, "bb"));
  const second = await list(given, { limit: 2, continue: rest });
  expect(names(second)).toEqual(["c"]);
  expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
});

test("does not count what is left where a selector chooses", async () => {
  await using given = await givenThree();
  const { metadata } = await list(given, { limit: 1, labelSelector: parseLabelSelector("odd=yes") });
  expect(metadata.continue).toBeDefined();
  expect(metadata).not.toHaveProperty("remainingItemCount");
});

test("a page over all namespaces goes on behind its last key", async () => {
  await using given = await givenThree();
  await given.verbs.create(configMaps, "z", body(make(configMaps, "a")), write, given.caller);
  const first = await list(given, { limit: 3 }, "");
  const second = await list(given, { limit: 3, continue: first.metadata.continue as string }, "");
  expect(second.items.map(({ metadata }) => metadata.namespace)).toEqual(["z"]);
});

test("a page starts at its key, if that is there", async () => {
  await using given = await givenThree();
  expect(names(await list(given, { continue: token({ rv: -1, start: "/b" }) }))).toEqual(["b", "c"]);
});

test("a kind without namespaces that selects by fields of its own cannot select by namespace", async () => {
  await using given = await givenRegistry();
  const fieldSelector = parseFieldSelector("metadata.namespace=x");
  const own = { ...namespaces, selectableFields: { "status.phase": () => "" } };
  expect(await refusalOf(list(given, { fieldSelector }, "", own))).toBe(
    "400 BadRequest: field label not supported: metadata.namespace",
  );
  expect(names(await list(given, { fieldSelector }, "", namespaces))).toEqual([]);
});

test("a page that is too old is refused, with a token for what is there now", async () => {
  await using given = await givenThree();
  const first = await list(given, { limit: 1 });
  await create(given, configMaps, make(configMaps, "d"));
  given.store.compact(given.store.revision);
  const refused = await list(given, { limit: 1, continue: first.metadata.continue as string }).catch(
    (error: StatusError) => error.status,
  );
  expect(refused).toMatchObject({ code: 410, reason: "Expired", metadata: { continue: expect.any(String) } });
  const { continue: fresh } = (refused as unknown as { metadata: { continue: string } }).metadata;
  expect(names(await list(given, { continue: fresh }))).toEqual(["b", "c", "d"]);
});

test("versions: exactly, at least, and any", async () => {
  await using given = await givenThree();
  const { resourceVersion } = (await given.verbs.get(at(configMaps, "b"), {})).metadata;
  expect(names(await list(given, { resourceVersion, resourceVersionMatch: "Exact" }))).toEqual(["a", "b"]);
  expect(names(await list(given, { resourceVersion, resourceVersionMatch: "NotOlderThan" }))).toEqual(["a", "b", "c"]);
  expect(names(await list(given, { resourceVersion }))).toEqual(["a", "b", "c"]);
  expect(await list(given, { resourceVersion, limit: 1 })).toMatchObject({
    metadata: { resourceVersion, remainingItemCount: 1 },
  });
  expect(names(await list(given, { resourceVersion: "0", limit: 1 }))).toEqual(["a", "b", "c"]);
  given.store.compact(given.store.revision);
  expect(await refusalOf(list(given, { resourceVersion, resourceVersionMatch: "Exact" }))).toBe(
    "410 Expired: The resourceVersion for the provided list is too old.",
  );
});

test("waits three seconds for a version of the future", async () => {
  await using given = await givenThree();
  const { revision } = given.store;
  const soon = list(given, { resourceVersion: String(revision + 1) });
  await create(given, configMaps, make(configMaps, "d"));
  await given.clock.advance(100);
  expect(names(await soon)).toContain("d");
  for (const never of [
    () => list(given, { resourceVersion: "999" }),
    () => list(given, { resourceVersion: "999", resourceVersionMatch: "Exact" }),
    () => given.verbs.get(at(configMaps, "a"), { resourceVersion: "999" }),
  ]) {
    const refused = refusalOf(never());
    await given.clock.advance(3100);
    expect(await refused).toBe(`504 Timeout: Timeout: Too large resource version: 999, current: ${revision + 1}`);
  }
});

test("gets one", async () => {
  await using given = await givenThree();
  expect(await given.verbs.get(at(configMaps, "a"), { resourceVersion: "0" })).toMatchObject({
    metadata: { name: "a" },
  });
  expect(await refusalOf(given.verbs.get(at(configMaps, "nope"), {}))).toBe(
    `404 NotFound: configmaps "nope" not found`,
  );
  expect(await refusalOf(given.verbs.get(at(configMaps, "a"), { resourceVersion: "abc" }))).toBe(
    `500 -: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`,
  );
  await create(given, namespaces, make(namespaces, "nn"));
  expect(await given.verbs.get(at(namespaces, "nn"), {})).toMatchObject({ kind: "Namespace" });
});
