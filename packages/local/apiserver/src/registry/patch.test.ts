import { expect, test } from "vitest";
import type { ServedResource } from "./resource.ts";
import {
  applyOf,
  at,
  body,
  create,
  dryRun,
  type Given,
  givenRegistry,
  make,
  patchOf,
  refusalOf,
  strict,
  write,
} from "./testing/given.ts";
import { configMaps, deployments, foos } from "./testing/kinds.ts";
import type { PatchBody, WriteOptions } from "./verbs.ts";

function patch(
  given: Given,
  resource: ServedResource,
  name: string,
  sent: PatchBody,
  options: WriteOptions = write,
  subresource = "",
) {
  return given.verbs.patch(at(resource, name), subresource, sent, options, given.caller);
}

const rejected = "422 Invalid: the server rejected our request due to an error in our request";
const refusals: Record<
  string,
  { sent: PatchBody; resource?: ServedResource; name?: string; options?: WriteOptions; want: string | RegExp }
> = {
  "a version that is not the newest": {
    sent: patchOf("merge", { metadata: { resourceVersion: "1" } }),
    want: /^409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified/,
  },
  "another uid": {
    sent: patchOf("merge", { metadata: { uid: "3" } }),
    want: `422 Invalid: ConfigMap "a" is invalid: metadata.uid: Invalid value: "3": field is immutable`,
  },
  "another name": {
    sent: patchOf("merge", { metadata: { name: "b" } }),
    want: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
  },
  "another namespace": {
    sent: patchOf("merge", { metadata: { namespace: "b" } }),
    want: "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
  },
  "another kind": {
    sent: patchOf("merge", { kind: "Secret" }),
    want: /^422 Invalid: {2}"" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",.*\}": converting \(v1.Secret\) to \(core.ConfigMap\): unknown conversion$/,
  },
  "a merge patch that is a list": {
    sent: patchOf("merge", []),
    want: "400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
  },
  "a merge patch that is nothing": { sent: patchOf("merge", null), want: "400 BadRequest: Invalid JSON Patch" },
  "a strategic patch that is a list": {
    sent: patchOf("strategic", []),
    want: "400 BadRequest: json: cannot unmarshal array into Go value of type map[string]interface {}",
  },
  "a JSON patch that is an object": {
    sent: patchOf("json", {}),
    want: "400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  },
  "a JSON patch of texts": {
    sent: patchOf("json", ["x"]),
    want: "400 BadRequest: error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp",
  },
  "a JSON patch with a path that is no text": {
    sent: patchOf("json", [{ op: "remove", path: 1 }]),
    want: "400 BadRequest: error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
  },
  "a JSON patch with a path that is no text, where nobody wants to know": {
    sent: patchOf("json", [{ op: "remove", path: 1 }]),
    options: { ...strict, fieldValidation: "Ignore" },
    want: rejected,
  },
  "a strategic patch with a directive that is none": {
    sent: patchOf("strategic", { $patch: "explode" }),
    want: "500 -: unknown patch type: explode in map: map[$patch:explode]",
  },
  "a strategic patch of a bad form": {
    sent: patchOf("strategic", { $retainKeys: 1 }),
    want: "400 BadRequest: invalid patch format of retainKeys",
  },
  "an apply of what is new, of a kind that is going": {
    resource: { ...configMaps, takesNothingNew: "no more" },
    sent: applyOf(make(configMaps, "new")),
    name: "new",
    want: `403 Forbidden: configmaps "new" is forbidden: no more`,
  },
  "a JSON patch whose test fails": {
    sent: patchOf("json", [{ op: "test", path: "/data/x", value: "1" }]),
    want: rejected,
  },
  "a JSON patch of what is not there": { sent: patchOf("json", [{ op: "remove", path: "/data/x" }]), want: rejected },
  "a JSON patch that is too long": {
    sent: patchOf("json", new Array(10001).fill({ op: "test", path: "", value: 1 })),
    want: "413 RequestEntityTooLarge: Request entity is too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  },
  "what is not there": { sent: patchOf("merge", {}), name: "nope", want: `404 NotFound: configmaps "nope" not found` },
  "a wrong type": {
    sent: patchOf("merge", { data: { x: 5 } }),
    want: /^422 Invalid: {2}"" is invalid: patch: Invalid value: ".*": json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
  },
  "an unknown field, where that is asked for": {
    sent: patchOf("merge", { foo: { x: 5 } }),
    options: strict,
    want: /strict decoding error: unknown field "foo"$/,
  },
  "an unknown field in a strategic patch": {
    sent: patchOf("strategic", { foo: { x: [1, "a", null, { b: true }] } }),
    options: strict,
    want: `422 Invalid:  "" is invalid: patch: Invalid value: "map[foo:map[x:[1 a <nil> map[b:true]]]]": strict decoding error: unknown field "foo"`,
  },
  "an unknown field of a JSON patch": {
    sent: patchOf("json", [{ op: "add", path: "/foo", value: 1, zz: 2 }]),
    options: strict,
    want: /strict decoding error: json patch unknown field "\[0\].zz", unknown field "foo"$/,
  },
  "a repeated field": {
    sent: { type: "merge", body: body({ data: { x: "6" } }, ["data.x"]) },
    options: strict,
    want: /strict decoding error: duplicate field "data.x"$/,
  },
  "a strategic patch of a custom object": {
    resource: foos,
    sent: patchOf("strategic", {}),
    want: "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
  },
  "another kind of a custom object": {
    resource: foos,
    sent: patchOf("merge", { kind: "Zoo" }),
    want: `422 Invalid: Zoo.x.io "a" is invalid: kind: Invalid value: "Zoo": must be Foo`,
  },
  "an apply of another kind": {
    sent: applyOf({ kind: "Secret", apiVersion: "v1" }),
    want: "400 BadRequest: invalid object type: /v1, Kind=Secret",
  },
  "an apply of nothing": { sent: applyOf({}), want: "400 BadRequest: invalid object type: /, Kind=" },
  "an apply that is a list": {
    sent: applyOf([]),
    want: "400 BadRequest: error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
  },
  "an apply under another name": {
    sent: applyOf(make(configMaps, "b")),
    want: "400 BadRequest: the name of the object (b) does not match the name on the URL (a)",
  },
  "an apply of a uid that is not there": {
    sent: applyOf(make(configMaps, "nope", { metadata: { uid: "b" } })),
    name: "nope",
    want: `409 Conflict: Operation cannot be fulfilled on configmaps "nope": uid mismatch: the provided object specified uid b, and no existing object was found`,
  },
  "an apply with repeated fields": {
    sent: {
      type: "apply",
      force: false,
      body: {
        ...body({ ...make(configMaps, "a"), data: { a: "2" } }),
        repeated: ['line 4: key "a" already set in map', 'line 5: key "a" already set in map'],
      },
    },
    options: strict,
    want: `400 BadRequest: error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 4: key "a" already set in map\n  line 5: key "a" already set in map`,
  },
};

for (const [name, { sent, resource = configMaps, name: target = "a", options, want }] of Object.entries(refusals)) {
  test(`refuses ${name}`, async () => {
    await using given = await givenRegistry();
    await create(given, resource.takesNothingNew ? configMaps : resource, make(resource, "a"));
    const { revision } = given.store;
    const refused = await refusalOf(patch(given, resource, target, sent, options));
    if (typeof want === "string") expect(refused).toBe(want);
    else expect(refused).toMatch(want);
    expect(given.store.revision).toBe(revision);
  });
}

test.each([
  ["json", [{ op: "add", path: "/data/y", value: "2" }]],
  ["merge", { data: { y: "2" } }],
  ["strategic", { data: { y: "2" } }],
] as const)("a %s patch changes what it names", async (type, value) => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a", { data: { x: "1" } }));
  const { object, isNew } = await patch(given, configMaps, "a", patchOf(type, value));
  expect(isNew).toBe(false);
  expect(object.data).toEqual({ x: "1", y: "2" });
});

test("patches that arrive together are made one after the other", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a"));
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
  await Promise.all(keys.map((key) => patch(given, configMaps, "a", patchOf("merge", { data: { [key]: "v" } }))));
  const { data } = await given.verbs.get(at(configMaps, "a"), {});
  expect(Object.keys(data as object).sort()).toEqual(keys.sort());
});

test("a patch that changes nothing writes nothing", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, foos, make(foos, "a", { spec: { replicas: 1 } }));
  const { object } = await patch(given, foos, "a", patchOf("merge", { spec: { replicas: 1, zzz: 3 } }));
  expect(object).toBe(before);
  expect(given.warnings).toEqual([`unknown field "spec.zzz"`]);
});

test("a strategic patch cannot change the kind, nor can a merge patch take it away", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, configMaps, make(configMaps, "a"));
  expect((await patch(given, configMaps, "a", patchOf("strategic", { kind: "Secret" }))).object).toBe(before);
  expect((await patch(given, configMaps, "a", patchOf("merge", { kind: null }))).object).toBe(before);
});

test("a dry run stores nothing", async () => {
  await using given = await givenRegistry();
  const { object: before } = await create(given, configMaps, make(configMaps, "a"));
  const { object } = await patch(given, configMaps, "a", patchOf("merge", { data: { x: "1" } }), dryRun);
  expect(object.data).toEqual({ x: "1" });
  expect((await patch(given, configMaps, "b", applyOf(make(configMaps, "b")), dryRun)).isNew).toBe(true);
  expect(given.store.table("configmaps").newest("default/a")).toBe(before);
  expect(given.store.table("configmaps").size).toBe(1);
});

test("a patch of status leaves the rest alone", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d", { spec: { replicas: 1 } }));
  const { object } = await patch(
    given,
    deployments,
    "d",
    patchOf("merge", { spec: { replicas: 5 }, status: { replicas: 2 } }),
    write,
    "status",
  );
  expect(object).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 2 }, metadata: { generation: 1 } });
});

test("apply creates, and changes what it owns", async () => {
  await using given = await givenRegistry();
  const apply = (data: object) =>
    patch(given, configMaps, "a", applyOf({ ...make(configMaps, "a"), data }), { ...write, fieldManager: "m" });
  const { object: made, isNew } = await apply({ x: "1", y: "2" });
  expect(isNew).toBe(true);
  expect(made.metadata).toMatchObject({ name: "a", namespace: "default" });
  expect(made.metadata.managedFields).toMatchObject([{ manager: "m", operation: "Apply" }]);
  const { object, isNew: again } = await apply({ x: "3" });
  expect(again).toBe(false);
  expect(object.data).toEqual({ x: "3" });
  expect((await apply({ x: "3" })).object).toBe(object);
});

test("apply refuses what another owns, unless it is forced", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d", { spec: { replicas: 1 } }));
  const applied = (force: boolean) =>
    patch(given, deployments, "d", applyOf(make(deployments, "d", { spec: { replicas: 3 } }), force), {
      ...write,
      fieldManager: "m",
    });
  expect(await refusalOf(applied(false))).toMatch(
    /^409 Conflict: Apply failed with 1 conflict: conflict with "test".*: .spec.replicas$/,
  );
  const { object } = await applied(true);
  expect(object).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
});

test("apply asks whether the caller may create, but only then", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a"));
  given.caller.checkMayCreate = () => {
    throw new Error("may not create");
  };
  await patch(given, configMaps, "a", applyOf(make(configMaps, "a")));
  await expect(patch(given, configMaps, "b", applyOf(make(configMaps, "b")))).rejects.toThrow("may not create");
  expect(await refusalOf(patch(given, foos, "b", applyOf(make(foos, "b")), write, "status"))).toBe(
    `404 NotFound: foos.x.io "b" not found`,
  );
});

test("a null in a map of what a strategic patch adds is a value", async () => {
  await using given = await givenRegistry();
  await create(given, configMaps, make(configMaps, "a", { data: { a: "1" } }));
  const sent = patchOf("strategic", { data: { $patch: "replace", b: null } });
  const { object } = await patch(given, configMaps, "a", sent);
  expect(object.data).toEqual({ b: "" });
});
