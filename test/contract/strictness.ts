/** What is unknown or said twice, and what is only tried: field validation and dry runs, verb by verb. */
import { expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

const merge = "application/merge-patch+json";

export function strictness(given: Given): void {
  const services = () => `/api/v1/namespaces/${given.namespace}/services`;
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  const odd = (name: string) => ({
    metadata: { name, stranger: 1 },
    spec: { ports: [{ port: 80, odd: 1 }], strange: 1 },
  });

  test("strict: every unknown field is told, and nothing is made", async () => {
    const answer = await given.ask("POST", `${services()}?fieldValidation=Strict`, { body: odd("one") });
    expect(said(answer)).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(answer.body.message).toBe(
      'Service in version "v1" cannot be handled as a Service: strict decoding error: unknown field "metadata.stranger", unknown field "spec.ports[0].odd", unknown field "spec.strange"',
    );
    expect((await given.ask("GET", `${services()}/one`)).code).toBe(404);
  });

  test("warn, which is also what happens unasked: the same in headers", async () => {
    const want = [
      'unknown field "metadata.stranger"',
      'unknown field "spec.ports[0].odd"',
      'unknown field "spec.strange"',
    ];
    const asked = await given.ask("POST", `${services()}?fieldValidation=Warn`, { body: odd("one") });
    expect(asked).toMatchObject({ code: 201, warnings: want });
    const unasked = await given.ask("POST", services(), { body: odd("two") });
    expect(unasked).toMatchObject({ code: 201, warnings: want });
    expect(unasked.body.spec.strange).toBeUndefined();
  });

  test("ignore: silence", async () => {
    const answer = await given.ask("POST", `${services()}?fieldValidation=Ignore`, { body: odd("one") });
    expect(answer).toMatchObject({ code: 201, warnings: [] });
  });

  test("a way to validate that is none", async () => {
    const answer = await given.ask("POST", `${services()}?fieldValidation=Harsh`, { body: odd("one") });
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(answer.body.message).toContain(
      'fieldValidation: Unsupported value: "Harsh": supported values: "", "Ignore", "Strict", "Warn"',
    );
  });

  test("a field that is said twice, in JSON and in YAML", async () => {
    const json = '{"metadata":{"name":"one"},"data":{"a":"1","a":"2"}}';
    const strict = await given.ask("POST", `${maps()}?fieldValidation=Strict`, { body: json });
    expect(said(strict).message).toContain('strict decoding error: duplicate field "data.a"');
    const warned = await given.ask("POST", maps(), { body: json });
    expect(warned).toMatchObject({ code: 201, warnings: ['duplicate field "data.a"'], body: { data: { a: "2" } } });
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\ndata:\n  a: '1'\n  a: '2'\n";
    const refused = await given.ask("POST", `${maps()}?fieldValidation=Strict`, {
      body: yaml,
      type: "application/yaml",
    });
    expect(said(refused)).toMatchObject({
      code: 400,
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 6: key "a" already set in map',
    });
    const warnedYaml = await given.ask("POST", maps(), { body: `${yaml}strange: 1\n`, type: "application/yaml" });
    expect(warnedYaml).toMatchObject({
      code: 201,
      warnings: ['line 6: key "a" already set in map', 'unknown field "strange"'],
      body: { data: { a: "2" } },
    });
    const applied = await given.ask("PATCH", `${maps()}/two?fieldManager=a`, {
      body: yaml,
      type: "application/apply-patch+yaml",
    });
    expect(applied.warnings).toEqual(['line 6: key "a" already set in map']);
  });

  test("an unknown field in an update and in each kind of patch", async () => {
    await given.ask("POST", services(), { body: { metadata: { name: "one" }, spec: { ports: [{ port: 80 }] } } });
    const path = `${services()}/one?fieldValidation=Strict`;
    const whole = (await given.ask("GET", `${services()}/one`)).body;
    const update = await given.ask("PUT", path, { body: { ...whole, strange: 1 } });
    expect(said(update).message).toContain('unknown field "strange"');
    for (const type of [merge, "application/strategic-merge-patch+json"]) {
      const patched = await given.ask("PATCH", path, { body: { spec: { strange: 1 } }, type });
      expect(said(patched), type).toMatchObject({ code: 422, reason: "Invalid" });
      expect(patched.body.message).toContain('strict decoding error: unknown field "spec.strange"');
    }
    const steps = [{ op: "add", path: "/spec/strange", value: 1 }];
    const json = await given.ask("PATCH", path, { body: steps, type: "application/json-patch+json" });
    expect(said(json).code).toBe(422);
  });

  test("an unknown field is never applied", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, strange: 1 };
    const answer = await given.ask("PATCH", `${maps()}/one?fieldManager=a`, {
      body,
      type: "application/apply-patch+yaml",
    });
    expect(answer.code).toBe(500);
    expect(answer.body.message).toContain(".strange: field not declared in schema");
  });

  test("a dry run of each verb leaves everything as it was", async () => {
    const made = (await given.ask("POST", maps(), { body: { metadata: { name: "one" }, data: { a: "1" } } })).body;
    const own = `${maps()}/one`;
    const dry = "dryRun=All";
    const created = await given.ask("POST", `${maps()}?${dry}`, { body: { metadata: { name: "two" } } });
    expect(created).toMatchObject({ code: 201, body: { metadata: { name: "two", uid: expect.any(String) } } });
    expect(created.body.metadata.resourceVersion).toBeUndefined();
    const updated = await given.ask("PUT", `${own}?${dry}`, { body: { ...made, data: { a: "2" } } });
    expect(updated.body).toMatchObject({
      data: { a: "2" },
      metadata: { resourceVersion: made.metadata.resourceVersion },
    });
    const patched = await given.ask("PATCH", `${own}?${dry}`, { body: { data: { b: "2" } }, type: merge });
    expect(patched.body.data).toEqual({ a: "1", b: "2" });
    const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "three" }, data: { c: "3" } };
    const type = "application/apply-patch+yaml";
    expect((await given.ask("PATCH", `${maps()}/three?${dry}&fieldManager=a`, { body: applied, type })).code).toBe(201);
    expect((await given.ask("DELETE", `${own}?${dry}`)).code).toBe(200);
    expect((await given.ask("DELETE", own, { body: { dryRun: ["All"] } })).code).toBe(200);
    expect((await given.ask("DELETE", `${maps()}?${dry}&fieldSelector=metadata.name%3Done`)).code).toBe(200);
    expect((await given.ask("GET", own)).body).toEqual(made);
    for (const name of ["two", "three"]) expect((await given.ask("GET", `${maps()}/${name}`)).code).toBe(404);
  });

  test("a dry run is refused as the real thing would be", async () => {
    await given.ask("POST", maps(), { body: { metadata: { name: "one" } } });
    const again = await given.ask("POST", `${maps()}?dryRun=All`, { body: { metadata: { name: "one" } } });
    expect(said(again)).toMatchObject({
      code: 409,
      reason: "AlreadyExists",
      message: 'configmaps "one" already exists',
    });
    const half = await given.ask("POST", `${maps()}?dryRun=Half`, { body: { metadata: { name: "two" } } });
    expect(said(half)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(half.body.message).toContain('dryRun: Unsupported value: ["Half"]: supported values: "All"');
  });
}
