import { describe, expect, test } from "vitest";
import { bottomless, deepFreeze, thrownBy } from "./fixtures.ts";
import { maxJsonPatchCopiedBytes } from "./json-draft.ts";
import { applyJsonPatch, maxJsonPatchOperations } from "./json-patch.ts";
import { PatchError } from "./patch-error.ts";

const pod = deepFreeze({
  metadata: { name: "web", labels: { app: "web", "berg.ch/owner": "ann" } },
  spec: { containers: [{ name: "web" }, { name: "proxy" }], hostNetwork: null },
});
const { metadata, spec } = pod;
const [web, proxy] = spec.containers;

describe("applyJsonPatch", () => {
  test.each([
    {
      name: "adds a field",
      op: "add",
      path: "/spec/nodeName",
      value: "n1",
      want: { metadata, spec: { ...spec, nodeName: "n1" } },
    },
    { name: "overwrites a field by add", op: "add", path: "/metadata", value: 1, want: { metadata: 1, spec } },
    {
      name: "inserts into a list",
      op: "add",
      path: "/spec/containers/1",
      value: 1,
      want: { metadata, spec: { ...spec, containers: [web, 1, proxy] } },
    },
    {
      name: "inserts at the end of a list",
      op: "add",
      path: "/spec/containers/2",
      value: 1,
      want: { metadata, spec: { ...spec, containers: [web, proxy, 1] } },
    },
    {
      name: "appends to a list",
      op: "add",
      path: "/spec/containers/-",
      value: 1,
      want: { metadata, spec: { ...spec, containers: [web, proxy, 1] } },
    },
    { name: "adds the whole document", op: "add", path: "", value: [1], want: [1] },
    { name: "removes a field", op: "remove", path: "/spec", want: { metadata } },
    {
      name: "removes a null",
      op: "remove",
      path: "/spec/hostNetwork",
      want: { metadata, spec: { containers: [web, proxy] } },
    },
    {
      name: "removes from a list",
      op: "remove",
      path: "/spec/containers/0",
      want: { metadata, spec: { ...spec, containers: [proxy] } },
    },
    {
      name: "replaces under an escaped name",
      op: "replace",
      path: "/metadata/labels/berg.ch~1owner",
      value: "bob",
      want: { metadata: { name: "web", labels: { app: "web", "berg.ch/owner": "bob" } }, spec },
    },
    {
      name: "replaces in a list",
      op: "replace",
      path: "/spec/containers/1",
      value: null,
      want: { metadata, spec: { ...spec, containers: [web, null] } },
    },
    { name: "replaces the whole document", op: "replace", path: "", value: "x", want: "x" },
    {
      name: "moves a field",
      op: "move",
      from: "/metadata/name",
      path: "/name",
      want: { metadata: { labels: metadata.labels }, spec, name: "web" },
    },
    {
      name: "moves within a list",
      op: "move",
      from: "/spec/containers/0",
      path: "/spec/containers/1",
      want: { metadata, spec: { ...spec, containers: [proxy, web] } },
    },
    { name: "moves onto itself", op: "move", from: "/spec", path: "/spec", want: pod },
    {
      name: "copies",
      op: "copy",
      from: "/spec/containers/0",
      path: "/spec/containers/-",
      want: { metadata, spec: { ...spec, containers: [web, proxy, web] } },
    },
    {
      name: "tests a value whatever the order of its keys",
      op: "test",
      path: "/metadata",
      value: { labels: { "berg.ch/owner": "ann", app: "web" }, name: "web" },
      want: pod,
    },
    { name: "tests for null", op: "test", path: "/spec/hostNetwork", value: null, want: pod },
  ])("$name", ({ name: _, want, ...operation }) => {
    expect(applyJsonPatch(pod, [operation])).toEqual(want);
  });

  test("operations build on each other, and a copy goes its own way", () => {
    const got = applyJsonPatch({}, [
      { op: "add", path: "/a", value: deepFreeze({ list: [1] }) },
      { op: "add", path: "/a/list/-", value: 2 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/b/list/-", value: 3 },
      { op: "remove", path: "/a/list/0" },
      { op: "move", from: "/b", path: "/c" },
    ]);
    expect(got).toEqual({ a: { list: [2] }, c: { list: [1, 2, 3] } });
  });

  test.each([
    {
      operation: { op: "test", path: "/metadata/name", value: "s3cret" },
      want: 'operation 1 ("test" "/metadata/name") failed: the value there is another one',
    },
    {
      operation: { op: "test", path: "/nope", value: null },
      want: 'operation 1 ("test" "/nope") failed: there is no "nope" in ""',
    },
    {
      operation: { op: "replace", path: "/spec/nope", value: 1 },
      want: 'operation 1 ("replace" "/spec/nope") failed: there is no "nope" in "/spec"',
    },
    {
      operation: { op: "remove", path: "/metadata/name/x" },
      want: 'operation 1 ("remove" "/metadata/name/x") failed: there is no "x" in "/metadata/name"',
    },
    {
      operation: { op: "remove", path: "/spec/containers/2" },
      want: 'operation 1 ("remove" "/spec/containers/2") failed: the list at "/spec/containers" has no index "2"',
    },
    {
      operation: { op: "remove", path: "/spec/containers/-" },
      want: 'operation 1 ("remove" "/spec/containers/-") failed: the list at "/spec/containers" has no index "-"',
    },
    {
      operation: { op: "add", path: "/spec/containers/3", value: 1 },
      want: 'operation 1 ("add" "/spec/containers/3") failed: the list at "/spec/containers" has no index "3"',
    },
    {
      operation: { op: "add", path: "/spec/containers/01", value: 1 },
      want: 'operation 1 ("add" "/spec/containers/01") failed: the list at "/spec/containers" has no index "01"',
    },
    {
      operation: { op: "add", path: "/metadata/name/x", value: 1 },
      want: 'operation 1 ("add" "/metadata/name/x") failed: nothing can be added to a string at "/metadata/name"',
    },
    { operation: { op: "add", path: "/x" }, want: 'operation 1 ("add" "/x") failed: it has no value' },
    {
      operation: { op: "add", path: "x", value: 1 },
      want: 'operation 1 ("add" "x") failed: "x" is no JSON pointer: it must start with "/"',
    },
    {
      operation: { op: "remove", path: "" },
      want: 'operation 1 ("remove" "") failed: the whole document cannot be removed',
    },
    {
      operation: { op: "move", from: "/spec", path: "/spec/inner" },
      want: 'operation 1 ("move" "/spec/inner") failed: a value cannot be moved into itself',
    },
    {
      operation: { op: "copy", path: "/x" },
      want: 'operation 1 ("copy" "/x") failed: its from must be a JSON pointer, not nothing',
    },
    {
      operation: { op: "merge", path: "/x" },
      want: 'operation 1 ("merge" "/x") failed: its op must be one of add, remove, replace, move, copy, test',
    },
    {
      operation: { op: "add", value: 1 },
      want: 'operation 1 ("add") failed: its path must be a JSON pointer, not nothing',
    },
    { operation: 5, want: "operation 1 of a JSON patch is an object, not a number" },
  ])("says what failed: $want", ({ operation, want }) => {
    const error = thrownBy(() =>
      applyJsonPatch(pod, [{ op: "test", path: "/metadata/name", value: "web" }, operation]),
    );
    expect(error).toBeInstanceOf(PatchError);
    expect((error as PatchError).message).toBe(want);
  });

  test("refuses what is no list of operations", () => {
    expect(() => applyJsonPatch(pod, { op: "remove", path: "/spec" })).toThrow(
      "a JSON patch is a list of operations, not an object",
    );
  });

  test("refuses more operations than the API server takes", () => {
    const test = { op: "test", path: "/metadata/name", value: "web" };
    expect(applyJsonPatch(pod, Array(maxJsonPatchOperations).fill(test))).toBe(pod);
    const error = thrownBy(() => applyJsonPatch(pod, Array(maxJsonPatchOperations + 1).fill(test)));
    expect(error).toMatchObject({ name: "PatchError", code: 413 });
  });

  test("stops copies that multiply", () => {
    const bomb = Array.from({ length: 30 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    const error = thrownBy(() => applyJsonPatch({ a: ["x".repeat(100)] }, bomb));
    expect(String(error)).toContain(`the copies of this patch exceed ${maxJsonPatchCopiedBytes} bytes`);
  });

  test("copies a large map once, not once an operation", () => {
    const large = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]));
    const patch = Array.from({ length: maxJsonPatchOperations }, (_, index) => ({
      op: "replace",
      path: `/k${index}`,
      value: -1,
    }));
    // Once an operation would be a hundred million copies, and end at the runner's time limit.
    expect(Object.values(applyJsonPatch(large, patch) as object)).toEqual(Array(10_000).fill(-1));
  });

  test("shares what it does not change", () => {
    const got = applyJsonPatch(pod, [{ op: "add", path: "/spec/nodeName", value: "n1" }]) as typeof pod;
    expect(got.metadata).toBe(metadata);
    expect(got.spec.containers).toBe(spec.containers);
    expect(applyJsonPatch(pod, [{ op: "replace", path: "/metadata/labels", value: { ...metadata.labels } }])).toBe(pod);
  });

  test("treats names that objects inherit as plain data", () => {
    const got = applyJsonPatch({}, [
      { op: "add", path: "/__proto__", value: { polluted: true } },
      { op: "add", path: "/__proto__/deeper", value: 1 },
    ]);
    expect(JSON.stringify(got)).toBe('{"__proto__":{"polluted":true,"deeper":1}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    for (const path of ["/constructor/prototype/polluted", "/__proto__/polluted", "/toString/polluted"]) {
      expect(() => applyJsonPatch({}, [{ op: "add", path, value: true }])).toThrow(PatchError);
    }
  });

  test("refuses what is nested too deeply", () => {
    const copy = [{ op: "copy", from: "/a", path: "/b" }];
    expect(() => applyJsonPatch({ a: bottomless() }, copy)).toThrow("nested too deeply");
  });
});
