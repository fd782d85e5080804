/** Objects of custom kinds: what a schema makes of them. */
import { beforeAll, expect, test } from "vitest";
import { create, define, groupOf, inGroup, inNamespace, widget, widgetsPath } from "./crd.ts";
import { refusedSpecs, spec, unasked } from "./crd-cases.ts";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

export function crdObjects(givenAll: Given): void {
  const given = inGroup(givenAll, "objects");
  // A real server takes about two seconds to serve a definition, which no test changes. Each test has its own namespace.
  beforeAll(() =>
    define(inNamespace(given, "default"), spec, {
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
      },
      selectableFields: [{ jsonPath: ".spec.colour" }],
    }),
  );
  const own = (name: string) => `${widgetsPath(given)}/${name}`;
  const patch = (path: string, body: object) =>
    given.ask("PATCH", path, { body, type: "application/merge-patch+json" });

  test("defaults are filled in, deep ones too", async () => {
    const { body, code } = await create(given, "one", { parts: [{ id: "a" }] });
    expect(code).toBe(201);
    expect(body.spec).toEqual({ size: 3, colour: "red", inner: { deep: true }, parts: [{ id: "a", n: 1 }] });
  });

  test("a null is dropped, or replaced by the default, unless it is allowed", async () => {
    const { body } = await create(given, "one", { size: null, colour: null, nothing: null });
    expect(body.spec).toMatchObject({ size: 3, colour: "red", nothing: null });
    const { body: bare } = await create(given, "two", { name: null });
    expect(bare.spec).not.toHaveProperty("name");
  });

  test("what the schema does not know is pruned, unless it says to keep it", async () => {
    const odd = {
      stranger: 1,
      inner: { stranger: 1 },
      free: { stranger: { too: 1 } },
      parts: [{ id: "a", stranger: 1 }],
    };
    const { body } = await create(given, "one", odd, { stranger: 1 });
    expect(body.stranger).toBeUndefined();
    expect(body.spec.stranger).toBeUndefined();
    expect(body.spec).toMatchObject({
      inner: { deep: true },
      free: { stranger: { too: 1 } },
      parts: [{ id: "a", n: 1 }],
    });
    expect(body.spec.inner).toEqual({ deep: true });
  });

  test.each(refusedSpecs)("is refused: $spec", async ({ spec, causes, message }) => {
    const answer = await create(given, "widget", spec);
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid", causes });
    const brackets = causes.length > 1 ? "[" : "";
    const text = `Widget.${groupOf(given)} "widget" is invalid: ${brackets}${message}`;
    expect(answer.body.message.slice(0, text.length)).toBe(text);
    expect(answer.body.details).toMatchObject({ name: "widget", group: groupOf(given), kind: "Widget" });
  });

  test("several faults are told at once, in any order", async () => {
    const answer = await create(given, "widget", { size: 0, colour: "blue" });
    expect(said(answer).causes?.sort()).toEqual([
      unasked,
      "spec.colour: FieldValueNotSupported",
      "spec.size: FieldValueInvalid",
    ]);
    expect(answer.body.message).toMatch(/ is invalid: \[.*, .*\]$/);
  });

  test("a number or a text, where either will do", async () => {
    expect((await create(given, "number", { port: 80 })).body.spec.port).toBe(80);
    expect((await create(given, "text", { port: "http" })).body.spec.port).toBe("http");
  });

  test("a rule on change is not asked on create, and holds from then on", async () => {
    await create(given, "one", { fixed: "a" });
    const answer = await patch(own("one"), { spec: { fixed: "b" } });
    expect(said(answer)).toMatchObject({ code: 422, causes: ["spec.fixed: FieldValueInvalid"] });
    expect(answer.body.message).toContain('spec.fixed: Invalid value: "b": is fixed');
    expect((await patch(own("one"), { spec: { fixed: "a", size: 4 } })).code).toBe(200);
    expect((await patch(own("one"), { spec: { fixed: null } })).code).toBe(200);
  });

  test("status and the rest are written apart, and only the rest counts generations", async () => {
    const made = (await create(given, "one", {}, { status: { size: 7 } })).body;
    expect(made.status).toBeUndefined();
    expect(made.metadata.generation).toBe(1);
    const told = (await patch(`${own("one")}/status`, { spec: { size: 9 }, status: { size: 7 } })).body;
    expect(told).toMatchObject({ spec: { size: 3 }, status: { size: 7 }, metadata: { generation: 1 } });
    const changed = (await patch(own("one"), { spec: { size: 5 }, status: { size: 1 } })).body;
    expect(changed).toMatchObject({ spec: { size: 5 }, status: { size: 7 }, metadata: { generation: 2 } });
    const labelled = (await patch(own("one"), { metadata: { labels: { a: "b" } } })).body;
    expect(labelled.metadata.generation).toBe(2);
  });

  test("is scaled at the path that the definition names", async () => {
    await create(given, "one", { size: 2 });
    const { body } = await given.ask("GET", `${own("one")}/scale`);
    expect(body).toMatchObject({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    expect((await patch(`${own("one")}/scale`, { spec: { replicas: 6 } })).body.spec).toEqual({ replicas: 6 });
    expect((await given.ask("GET", own("one"))).body).toMatchObject({ spec: { size: 6 }, metadata: { generation: 2 } });
    expect((await patch(`${own("one")}/scale`, { spec: { replicas: 60 } })).code).toBe(422);
  });

  test("is selected by the fields that the definition names", async () => {
    await create(given, "one", { colour: "red" });
    await create(given, "two", { colour: "green" });
    const by = async (selector: string) => given.ask("GET", `${widgetsPath(given)}?fieldSelector=${selector}`);
    expect(
      (await by("spec.colour%3Dgreen")).body.items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ).toEqual(["two"]);
    const refused = await by("spec.size%3D3");
    expect(said(refused)).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: "field label not supported: spec.size",
    });
  });

  test("what is unknown, or said twice, is refused in strict mode with the path", async () => {
    const path = `${widgetsPath(given)}?fieldValidation=Strict`;
    const body = widget(given, "one", { stranger: 1, parts: [{ id: "a", odd: 1 }] });
    const answer = await given.ask("POST", path, { body });
    expect(said(answer)).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(answer.body.message).toContain(
      'strict decoding error: unknown field "spec.parts[0].odd", unknown field "spec.stranger"',
    );
    const text = JSON.stringify(widget(given, "one", { size: 1 })).replace('"size":1', '"size":1,"size":2');
    const twice = await given.ask("POST", path, { body: text });
    expect(said(twice).message).toContain('duplicate field "spec.size"');
  });

  test("a merge patch that breaks the schema is refused, and the object stays", async () => {
    await create(given, "one", { tags: ["a"] });
    const before = (await given.ask("GET", own("one"))).body;
    expect(said(await patch(own("one"), { spec: { tags: ["b", "b"] } })).code).toBe(422);
    expect((await given.ask("GET", own("one"))).body).toEqual(before);
  });

  test("lists of maps are merged by key when they are applied", async () => {
    const apply = (manager: string, parts: object[]) =>
      given.ask("PATCH", `${own("one")}?fieldManager=${manager}`, {
        body: { ...widget(given, "one", {}), spec: { parts } },
        type: "application/apply-patch+yaml",
      });
    await apply("a", [{ id: "a", n: 1 }]);
    expect((await apply("b", [{ id: "b", n: 2 }])).body.spec.parts).toEqual([
      { id: "a", n: 1 },
      { id: "b", n: 2 },
    ]);
    const conflict = await apply("b", [{ id: "a", n: 5 }]);
    expect(said(conflict)).toMatchObject({ code: 409, causes: ['.spec.parts[id="a"].n: FieldManagerConflict'] });
  });
}
