/** Definitions of custom kinds: when they take effect, what they may say, and how they go. */
import { expect, test } from "vitest";
import { crdPath, create, define, definition, groupOf, served, widget, widgetsPath } from "./crd.ts";
import { eventually, type Given } from "./given.ts";
import { said } from "./wire.ts";

export function crdDefinitions(given: Given): void {
  const post = (body: object) => given.ask("POST", crdPath, { body });
  const ownPath = () => `${crdPath}/widgets.${groupOf(given)}`;
  const conditions = async (path: string) => {
    const { body } = await given.ask("GET", path);
    return Object.fromEntries(
      (body.status.conditions as { type: string; status: string; reason: string }[]).map((condition) => [
        condition.type,
        `${condition.status} ${condition.reason}`,
      ]),
    );
  };

  test("names are filled in, accepted, and the kind is established", async () => {
    await define(given, {});
    const { body } = await given.ask("GET", ownPath());
    const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
    expect(body.spec.names).toEqual(names);
    expect(body.spec.conversion).toEqual({ strategy: "None" });
    expect(body.status.acceptedNames).toEqual(names);
    expect(body.status.storedVersions).toEqual(["v1"]);
    expect(await conditions(ownPath())).toEqual({
      NamesAccepted: "True NoConflicts",
      Established: "True InitialNamesAccepted",
    });
  });

  test("a kind whose names another has is not served", async () => {
    await define(given, {});
    const other = definition(given, {});
    const names = { plural: "gadgets", kind: "Widget" };
    const name = `gadgets.${groupOf(given)}`;
    await post({ ...other, metadata: { name }, spec: { ...other.spec, names } });
    await eventually(async () =>
      expect(await conditions(`${crdPath}/${name}`)).toEqual({
        NamesAccepted: "False ListKindConflict",
        Established: "False NotAccepted",
      }),
    );
    const path = widgetsPath(given).replace("widgets", "gadgets");
    expect((await given.ask("GET", path)).code).toBe(404);
    await given.ask("DELETE", ownPath());
    await eventually(async () => expect((await given.ask("GET", path)).code).toBe(200));
  });

  test.each<{ what: string; change(whole: ReturnType<typeof definition>): void; causes: string[] }>([
    {
      what: "its name is not plural and group",
      change: (whole) => Object.assign(whole.metadata, { name: "others.berg.test" }),
      causes: ["metadata.name: FieldValueInvalid"],
    },
    {
      what: "no version is stored",
      change: (whole) => Object.assign(whole.spec.versions[0] ?? {}, { storage: false }),
      causes: ["spec.versions: FieldValueInvalid", "status.storedVersions: FieldValueInvalid"],
    },
    {
      what: "a version has no schema",
      change: (whole) => Object.assign(whole.spec.versions[0] ?? {}, { schema: undefined }),
      causes: ["spec.versions[0].schema.openAPIV3Schema: FieldValueRequired"],
    },
    {
      what: "its scope is unknown",
      change: (whole) => Object.assign(whole.spec, { scope: "Galactic" }),
      causes: ["spec.scope: FieldValueNotSupported"],
    },
    {
      what: "it keeps unknown fields in the old way",
      change: (whole) => Object.assign(whole.spec, { preserveUnknownFields: true }),
      causes: ["spec.preserveUnknownFields: FieldValueInvalid"],
    },
  ])("is refused where $what", async ({ change, causes }) => {
    const whole = definition(given, {});
    change(whole);
    const answer = await post(whole);
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid", causes });
  });

  const inSpec = "spec.validation.openAPIV3Schema.properties[spec]";
  test.each<{ what: string; spec: object; causes: string[] }>([
    {
      what: "without a type",
      spec: { properties: { a: {} } },
      causes: [`${inSpec}.properties[a].type: FieldValueRequired`],
    },
    {
      what: "with a type within a junctor",
      spec: { properties: { a: { type: "string", anyOf: [{ type: "string" }] } } },
      causes: [`${inSpec}.properties[a].anyOf[0].type: FieldValueForbidden`],
    },
    {
      what: "with a list that is a map without keys",
      spec: { properties: { a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } } } },
      causes: [`${inSpec}.properties[a].x-kubernetes-list-map-keys: FieldValueRequired`],
    },
    {
      what: "with a default that it refuses itself",
      spec: { properties: { a: { type: "string", default: 5 } } },
      causes: [`${inSpec}.properties[a].default: FieldValueTypeInvalid`],
    },
    {
      what: "with a pattern that is none",
      spec: { properties: { a: { type: "string", pattern: "(" } } },
      causes: [`${inSpec}.properties[a].pattern: FieldValueInvalid`],
    },
    {
      what: "with a rule that does not compile",
      spec: { properties: { a: { type: "string", "x-kubernetes-validations": [{ rule: "self.nothing > 1" }] } } },
      causes: [`${inSpec}.properties[a].x-kubernetes-validations[0].rule: FieldValueInvalid`],
    },
    {
      what: "with a rule that is not a question",
      spec: { properties: { a: { type: "string", "x-kubernetes-validations": [{ rule: "self + 'x'" }] } } },
      causes: [`${inSpec}.properties[a].x-kubernetes-validations[0].rule: FieldValueInvalid`],
    },
  ])("a schema is refused $what", async ({ spec, causes }) => {
    expect(said(await post(definition(given, spec)))).toMatchObject({ code: 422, reason: "Invalid", causes });
  });

  test("all served versions show the same objects, an unserved one none", async () => {
    const whole = definition(given, { "x-kubernetes-preserve-unknown-fields": true });
    const [first] = whole.spec.versions;
    whole.spec.versions.push({ ...first, name: "v2", storage: false } as never);
    whole.spec.versions.push({ ...first, name: "v1alpha1", storage: false, served: false } as never);
    await post(whole);
    await served(given, "v2");
    await served(given);
    await create(given, "one", { a: 1 });
    const { body } = await given.ask("GET", `${widgetsPath(given, "v2")}/one`);
    expect(body).toMatchObject({ apiVersion: `${groupOf(given)}/v2`, spec: { a: 1 } });
    expect((await given.ask("GET", widgetsPath(given, "v1alpha1"))).code).toBe(404);
    const group = (await given.ask("GET", `/apis/${groupOf(given)}`)).body;
    expect(group.versions.map(({ version }: { version: string }) => version)).toEqual(["v2", "v1"]);
    expect(group.preferredVersion.version).toBe("v2");
  });

  test("a body of another version or kind is refused", async () => {
    await define(given, {});
    const body = { apiVersion: "other.test/v1", kind: "Widget", metadata: { name: "one" } };
    expect(said(await given.ask("POST", widgetsPath(given), { body }))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: `the API version in the data (other.test/v1) does not match the expected API version (${groupOf(given)}/v1)`,
    });
    const kind = { apiVersion: `${groupOf(given)}/v1`, kind: "Other", metadata: { name: "one" } };
    expect(said(await given.ask("POST", widgetsPath(given), { body: kind }))).toMatchObject({
      code: 422,
      causes: ["kind: FieldValueInvalid"],
    });
  });

  test("goes with its objects, and comes back without them", async () => {
    await define(given, {});
    await create(given, "held", {}, { metadata: { name: "held", finalizers: ["berg.test/hold"] } });
    await given.ask("DELETE", ownPath());
    await eventually(async () => {
      const { body } = await given.ask("GET", `${widgetsPath(given)}/held`);
      expect(body.metadata.deletionTimestamp).toBeDefined();
    });
    expect(await conditions(ownPath())).toMatchObject({ Terminating: "True InstanceDeletionInProgress" });
    const late = await create(given, "late", {});
    expect(said(late)).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(late.body.message).toContain("create not allowed while custom resource definition is terminating");
    const applied = await given.ask("PATCH", `${widgetsPath(given)}/late?fieldManager=a`, {
      body: widget(given, "late", {}),
      type: "application/apply-patch+yaml",
    });
    expect(said(applied)).toMatchObject({ code: 403, reason: "Forbidden" });
    const body = { metadata: { finalizers: null } };
    await given.ask("PATCH", `${widgetsPath(given)}/held`, { body, type: "application/merge-patch+json" });
    await eventually(async () => expect((await given.ask("GET", ownPath())).code).toBe(404));
    await eventually(async () => expect((await given.ask("GET", widgetsPath(given))).code).toBe(404));
    await define(given, {});
    expect((await given.ask("GET", widgetsPath(given))).body.items).toEqual([]);
  });
  test("a version that is deprecated says so with every answer", async () => {
    const schema = { openAPIV3Schema: { type: "object" } };
    const body = definition(given, {});
    const [first] = body.spec.versions;
    const old = { ...first, storage: false, deprecated: true, schema };
    Object.assign(body.spec, {
      versions: [first, { ...old, name: "v1beta1" }, { ...old, name: "v1alpha1", deprecationWarning: 'gone "soon"' }],
    });
    expect((await given.ask("POST", crdPath, { body })).code).toBe(201);
    await served(given, "v1alpha1");
    const group = groupOf(given);
    const warnings = async (version: string, path = "") =>
      (await given.ask("GET", `${widgetsPath(given, version)}${path}`)).warnings;
    expect(await warnings("v1")).toEqual([]);
    expect(await warnings("v1beta1")).toEqual([`${group}/v1beta1 Widget is deprecated; use ${group}/v1 Widget`]);
    expect(await warnings("v1alpha1", "/none")).toEqual(['gone "soon"']);
  });
}
