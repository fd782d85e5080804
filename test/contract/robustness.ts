/** Whatever is sent, the answer is a refusal in the server's own words, and the server lives. */
import { afterEach, expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

export function robustness(given: Given): void {
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  const post = (body: unknown, type = "application/json") => given.ask("POST", maps(), { body, type });
  afterEach(async () => {
    expect((await given.ask("GET", "/livez")).text).toBe("ok");
  });

  test.each([
    ["broken JSON", '{"metadata":', "application/json"],
    ["a list", "[]", "application/json"],
    ["a text", '"x"', "application/json"],
    ["more after the end", '{"metadata":{"name":"one"}} x', "application/json"],
    ["nothing", "", "application/json"],
    ["broken YAML", "a: [", "application/yaml"],
    ["a field of the wrong type", '{"metadata":{"name":5}}', "application/json"],
    ["labels of numbers", '{"metadata":{"name":"one","labels":{"a":1}}}', "application/json"],
    ["data that is a list", '{"metadata":{"name":"one"},"data":[]}', "application/json"],
    ["a date that is none", '{"metadata":{"name":"one","creationTimestamp":"soon"}}', "application/json"],
    ["another kind", '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"one"}}', "application/json"],
    ["another version", '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"one"}}', "application/json"],
    ["another namespace", '{"metadata":{"name":"one","namespace":"elsewhere"}}', "application/json"],
  ])("%s is a bad request", async (_, body, type) => {
    expect(said(await post(body, type))).toMatchObject({ code: 400, reason: "BadRequest" });
  });

  test("nesting without end", async () => {
    const deep = `{"metadata":{"name":"one"},"data":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
    expect((await post(deep)).code).toBe(400);
    const list = `{"metadata":{"name":"one"},"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect((await post(list)).code).toBe(400);
  });

  test("bytes that are no text", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"metadata":{"name":"one"},"data":{"a":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}}'),
    ]);
    const answer = await post(bytes);
    expect(answer.code).toBe(201);
    expect(answer.body.data).toEqual({ a: "\ufffd\ufffd" });
  });

  test("a body of more than three mebibytes", async () => {
    const answer = await post({ metadata: { name: "one" }, data: { a: "x".repeat(3 * 1024 * 1024) } });
    expect(said(answer)).toMatchObject({ code: 413, reason: "RequestEntityTooLarge" });
    expect(answer.body.message).toBe("Request entity too large: limit is 3145728");
  });

  test("more data than a config map may hold", async () => {
    const answer = await post({ metadata: { name: "one" }, data: { a: "x".repeat(1024 * 1024 + 1) } });
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid", causes: ["[]: FieldValueTooLong"] });
    expect(answer.body.message).toContain("may not be more than 1048576 bytes");
  });

  test.each(["text/plain", "application/xml", "application/merge-patch+json"])("a body as %s", async (type) => {
    const answer = await post('{"metadata":{"name":"one"}}', type);
    expect(said(answer)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
    expect(answer.body.message).toContain(
      "the body of the request was in an unknown format - accepted media types include: application/json",
    );
  });

  test("a patch of no known kind", async () => {
    await post({ metadata: { name: "one" } });
    for (const type of ["application/json", "text/plain"]) {
      const answer = await given.ask("PATCH", `${maps()}/one`, { body: {}, type });
      expect(said(answer)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
    }
  });

  test.each([
    ["merge-patch+json", "[]"],
    ["merge-patch+json", "{"],
    ["strategic-merge-patch+json", "5"],
    ["json-patch+json", "{}"],
    ["json-patch+json", '[{"op":"jump","path":"/data"}]'],
    ["apply-patch+yaml", "a: ["],
  ])("a body that is no %s: %s", async (type, body) => {
    await post({ metadata: { name: "one" } });
    const answer = await given.ask("PATCH", `${maps()}/one?fieldManager=a`, { body, type: `application/${type}` });
    expect(answer.body.kind).toBe("Status");
    expect([400, 422]).toContain(answer.code);
  });

  test.each([
    ["PUT", ""],
    ["PATCH", ""],
    ["POST", "/one"],
  ])("%s where that means nothing: %s", async (method, under) => {
    const answer = await given.ask(method, `${maps()}${under}`, { body: { metadata: { name: "one" } } });
    expect(said(answer)).toMatchObject({
      code: 405,
      reason: "MethodNotAllowed",
      message: "the server does not allow this method on the requested resource",
    });
  });

  test("a method that is none", async () => {
    expect((await given.ask("PROPFIND", maps())).code).toBe(405);
  });

  test("a subresource that is none", async () => {
    await post({ metadata: { name: "one" } });
    expect(said(await given.ask("GET", `${maps()}/one/status`))).toMatchObject({ code: 404, reason: "NotFound" });
    expect(said(await given.ask("GET", `${maps()}/one/none`))).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("options that are none", async () => {
    const bad = await given.ask("GET", `${maps()}?timeoutSeconds=x`);
    expect(said(bad)).toMatchObject({ code: 400, reason: "BadRequest" });
    expect((await given.ask("GET", `${maps()}?unheard=of`)).code).toBe(200);
    const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Sometimes" };
    const remove = await given.ask("DELETE", `${maps()}/one`, { body });
    expect(said(remove)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(remove.body.message).toContain(
      'propagationPolicy: Unsupported value: "Sometimes": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
  });

  test("two ways to say how to delete", async () => {
    const body = { orphanDependents: true, propagationPolicy: "Orphan" };
    const answer = await given.ask("DELETE", `${maps()}/one`, { body });
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
  });

  test("a name in the path and another in the body", async () => {
    const { body } = await post({ metadata: { name: "one" } });
    const answer = await given.ask("PUT", `${maps()}/two`, { body });
    expect(said(answer)).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(answer.body.message).toBe("the name of the object (one) does not match the name on the URL (two)");
  });

  test("nobody", async () => {
    const answer = await given.ask("GET", maps(), { headers: { authorization: "Bearer rubbish" } });
    expect(said(answer)).toMatchObject({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
  });

  test("every answer names its request, and may not be kept by caches", async () => {
    const { headers } = await given.ask("GET", maps());
    expect(headers["audit-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers["cache-control"]).toBe("no-cache, private");
  });
}
