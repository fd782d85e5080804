/** Who owns which field: managedFields after each way of writing. */
import { expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";
const identity = { apiVersion: "v1", kind: "ConfigMap" };

interface Entry {
  manager: string;
  operation: string;
  subresource?: string;
  apiVersion: string;
  fieldsType: string;
  fieldsV1: object;
}

export function ownership(given: Given): void {
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  const make = (data: object, manager = "maker", more: object = {}) =>
    given.ask("POST", `${maps()}?fieldManager=${manager}`, { body: { metadata: { name: "one", ...more }, data } });
  const patch = (data: object, manager: string) =>
    given.ask("PATCH", `${maps()}/one?fieldManager=${manager}`, { body: { data }, type: merge });
  const put = (data: object, manager: string, query = "") =>
    given.ask("PATCH", `${maps()}/one?fieldManager=${manager}${query}`, {
      body: { ...identity, metadata: { name: "one" }, data },
      type: apply,
    });
  const owners = ({ body }: { body: { metadata: { managedFields?: Entry[] } } }) =>
    Object.fromEntries(
      (body.metadata.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
        [manager, operation, subresource].filter(Boolean).join(" "),
        JSON.stringify(fieldsV1),
      ]),
    );

  test("who creates owns what was said, with the containers that hold it", async () => {
    const answer = await make({ a: "1" }, "maker", { labels: { app: "x" } });
    expect(owners(answer)).toEqual({
      "maker Update": '{"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{".":{},"f:app":{}}}}',
    });
    expect(answer.body.metadata.managedFields[0]).toMatchObject({
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      // The server reads its clock once for each of the two.
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  test("without a name of its own a client is called what its user agent says first", async () => {
    const body = { metadata: { name: "one" }, data: { a: "1" } };
    const answer = await given.ask("POST", maps(), { body, headers: { "user-agent": "tool/1.2 (linux)" } });
    expect(Object.keys(owners(answer))).toEqual(["tool Update"]);
  });

  test("who changes a field takes it over; who says it alike does not", async () => {
    await make({ a: "1", b: "1" });
    const answer = await patch({ a: "2", b: "1" }, "changer");
    expect(owners(answer)).toEqual({
      "changer Update": '{"f:data":{"f:a":{}}}',
      "maker Update": '{"f:data":{".":{},"f:b":{}}}',
    });
  });

  test("what is removed is nobody's", async () => {
    await make({ a: "1", b: "1" });
    expect(owners(await patch({ a: null }, "remover"))).toEqual({ "maker Update": '{"f:data":{".":{},"f:b":{}}}' });
  });

  test("who applies what another wrote meets a conflict, and may agree or force", async () => {
    await make({ a: "1" });
    const conflict = await put({ a: "2" }, "applier");
    expect(said(conflict)).toMatchObject({ code: 409, reason: "Conflict", causes: [".data.a: FieldManagerConflict"] });
    expect(conflict.body.message).toMatch(
      /^Apply failed with 1 conflict: conflict with "maker" using v1( at .*)?: \.data\.a$/,
    );
    expect(owners(await put({ a: "1" }, "agreeing"))).toMatchObject({ "agreeing Apply": '{"f:data":{"f:a":{}}}' });
    const forced = await put({ a: "2" }, "applier", "&force=true");
    expect(owners(forced)).toEqual({ "applier Apply": '{"f:data":{"f:a":{}}}', "maker Update": '{"f:data":{}}' });
  });

  test("several conflicts are told at once", async () => {
    await put({ a: "1", b: "1" }, "first");
    await put({ c: "1" }, "second");
    const answer = await put({ a: "2", b: "2", c: "2" }, "third");
    expect(said(answer).causes?.sort()).toEqual([
      ".data.a: FieldManagerConflict",
      ".data.b: FieldManagerConflict",
      ".data.c: FieldManagerConflict",
    ]);
    expect(answer.body.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "first":\n- .data.a\n- .data.b\nconflicts with "second":\n- .data.c',
    );
  });

  test("the status has an owner of its own", async () => {
    const deployments = `/apis/apps/v1/namespaces/${given.namespace}/deployments`;
    const labels = { app: "x" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "none" }] } };
    const body = { metadata: { name: "one" }, spec: { replicas: 0, selector: { matchLabels: labels }, template } };
    await given.ask("POST", `${deployments}?fieldManager=maker`, { body });
    const condition = {
      type: "Ours",
      status: "True",
      lastTransitionTime: "2020-01-01T00:00:00Z",
      lastUpdateTime: "2020-01-01T00:00:00Z",
    };
    const status = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "one" },
      status: { conditions: [condition] },
    };
    const answer = await given.ask("PATCH", `${deployments}/one/status?fieldManager=teller`, {
      body: status,
      type: apply,
    });
    expect(owners(answer)["teller Apply status"]).toBe(
      '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"Ours\\"}":{".":{},"f:lastTransitionTime":{},"f:lastUpdateTime":{},"f:status":{},"f:type":{}}}}}',
    );
    const spec = owners(answer)["maker Update"] ?? "";
    expect(spec).toContain('"k:{\\"name\\":\\"main\\"}"');
    expect(spec).toContain('"f:image"');
  });

  test("apply needs a manager, and a body that says what it is", async () => {
    const path = `${maps()}/one`;
    const body = { ...identity, metadata: { name: "one" } };
    const nobody = await given.ask("PATCH", path, { body, type: apply });
    expect(said(nobody)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(nobody.body.message).toContain("fieldManager: Required value: is required for apply patch");
    const kindless = await given.ask("PATCH", `${path}?fieldManager=a`, {
      body: { metadata: { name: "one" } },
      type: apply,
    });
    expect(said(kindless).code).toBe(400);
    const other = { ...body, metadata: { name: "two" } };
    expect(said(await given.ask("PATCH", `${path}?fieldManager=a`, { body: other, type: apply })).code).toBe(400);
    const managed = { ...body, metadata: { name: "one", managedFields: [{ manager: "x", operation: "Apply" }] } };
    const refused = await given.ask("PATCH", `${path}?fieldManager=a`, { body: managed, type: apply });
    expect(said(refused)).toMatchObject({ code: 400, message: "metadata.managedFields must be nil" });
  });

  test("a manager's name has its bounds, and only apply can be forced", async () => {
    const long = await patchWith(`fieldManager=${"x".repeat(129)}`);
    expect(long.body.message).toContain("fieldManager: Too long: may not be more than 128 bytes");
    const forced = await patchWith("force=true");
    expect(forced.body.message).toContain("force: Forbidden: may not be specified for non-apply patch");
    expect([long.code, forced.code]).toEqual([422, 422]);
  });
  const patchWith = async (query: string) => {
    await make({});
    return given.ask("PATCH", `${maps()}/one?${query}`, { body: { data: { a: "1" } }, type: merge });
  };

  test("whoever sends none keeps what is tracked; an empty entry wipes it", async () => {
    const { body } = await make({ a: "1" });
    const { managedFields: _, ...metadata } = body.metadata;
    const kept = await given.ask("PUT", `${maps()}/one?fieldManager=other`, { body: { ...body, metadata } });
    expect(Object.keys(owners(kept))).toEqual(["maker Update"]);
    const wiped = await given.ask("PATCH", `${maps()}/one`, {
      body: { metadata: { managedFields: [{}] } },
      type: merge,
    });
    expect(owners(wiped)).toEqual({});
  });

  test("a null in what is applied is as if it were not said", async () => {
    const body = { ...identity, metadata: { name: "one", labels: null }, data: { a: "1" } };
    const answer = await given.ask("PATCH", `${maps()}/one?fieldManager=a`, { body, type: apply });
    expect(answer.code).toBe(201);
    expect(answer.body.metadata.labels).toBeUndefined();
  });
}
