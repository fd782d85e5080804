/** The same requests, well and badly formed, to a real API server and to ours: the same code and the same words. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../server.ts";
import { type RawRequest, send, type Target } from "./testing/raw-requests.ts";

const json = { "content-type": "application/json" };
const core = "/api/v1/namespaces/default";
const maps = `${core}/configmaps`;
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const patchOf = (type: string) => ({ "content-type": `application/${type}` });
const as = (kind: string, version = "v1", group = "meta.k8s.io") => ({
  accept: `application/json;as=${kind};v=${version};g=${group}`,
});

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", shortNames: ["wd"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { size: { type: "integer" }, color: { type: "string", default: "red" } },
              },
              status: { type: "object", properties: { size: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

/** In this order: some make what others ask for. */
const requests: Record<string, RawRequest & { user?: "bob" | "nobody" | "unknown" }> = {
  "who is not known": { path: maps, user: "unknown" },
  "who says nothing of themselves": { path: maps, user: "nobody" },
  "health to anybody": { path: "/healthz", user: "nobody" },
  "liveness to anybody": { path: "/livez", user: "nobody" },
  "readiness to anybody": { path: "/readyz", user: "nobody" },
  "one check to nobody": { path: "/livez/ping", user: "nobody" },
  "one check": { path: "/livez/ping" },
  "no such check": { path: "/livez/nope" },
  "discovery to nobody": { path: "/api", user: "nobody" },
  "a list that is forbidden": { path: maps, user: "bob" },
  "a get that is forbidden": { path: `${maps}/a`, user: "bob" },
  "a name in a selector that is forbidden": { path: `${maps}?fieldSelector=metadata.name%3Da`, user: "bob" },
  "a watch that is forbidden": { path: `${maps}?watch=1`, user: "bob" },
  "nodes that are forbidden": { path: "/api/v1/nodes", user: "bob" },
  "a namespace that is forbidden": { path: "/api/v1/namespaces/foo", user: "bob" },
  "a subresource that is forbidden": { path: `${core}/pods/x/log`, user: "bob" },
  "a group that is forbidden": { path: "/apis/foo/v1/bars/x/y", user: "bob" },
  "a method that is forbidden": { method: "LOCK", path: maps, user: "bob" },
  "a path that is forbidden": { path: "/metrics", user: "bob" },

  "no such path": { path: "/nope" },
  "no such group": { path: "/apis/nope" },
  "no such group's resource": { path: "/apis/nope.io/v1/x" },
  "no such version": { path: "/api/v2" },
  "no such version of a group": { path: "/apis/apps/v2" },
  "no such version's resource": { path: "/apis/apps/v2/deployments" },
  "no such resource": { path: "/api/v1/nope" },
  "no such resource's object": { path: "/apis/apps/v1/nope/x" },
  "a pod without its namespace": { path: "/api/v1/pods/x" },
  "a node in a namespace": { path: `${core}/nodes` },
  "pods made nowhere": { method: "POST", path: "/api/v1/pods", headers: json, body: "{}" },
  "pods deleted everywhere": { method: "DELETE", path: "/api/v1/pods" },
  "a post to an object": { method: "POST", path: `${maps}/a`, headers: json, body: "{}" },
  "a put to a collection": { method: "PUT", path: maps, headers: json, body: "{}" },
  "no such subresource": { path: `${maps}/a/foo` },
  "no status": { path: `${maps}/a/status` },
  "options of a collection": { method: "OPTIONS", path: maps },
  "an unknown method": { method: "LOCK", path: maps },
  "a slash too many": { path: `${core}//configmaps` },
  "a slash in a name": { path: `${maps}/A%2fB` },
  "a post to the version": { method: "POST", path: "/version" },
  "a binding that is read": { path: `${core}/pods/x/binding` },
  "a log of no pod": { path: `${core}/pods/x/log` },
  "a namespace that is not there": { path: "/api/v1/namespaces/nope/configmaps" },
  "a review that is listed": { path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" },

  "an object": { method: "POST", path: maps, headers: json, body: '{"metadata":{"name":"a"},"data":{"x":"1"}}' },
  "an object that is there": { method: "POST", path: maps, headers: json, body: '{"metadata":{"name":"a"}}' },
  "an object with a charset": {
    method: "POST",
    path: maps,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: '{"metadata":{"name":"b"}}',
  },
  "an object of no type": { method: "POST", path: maps, body: '{"metadata":{"name":"c"}}' },
  "an object in YAML": {
    method: "POST",
    path: maps,
    headers: { "content-type": "application/yaml" },
    body: "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: yaml\n",
  },
  "a bad parameter of a type": {
    method: "PATCH",
    path: `${maps}/a`,
    headers: { "content-type": "application/json;foo" },
    body: "{}",
  },
  "half an object": { method: "POST", path: maps, headers: json, body: '{"metadata":' },
  "nothing as an object": { method: "POST", path: maps, headers: json, body: "" },
  "a list as an object": { method: "POST", path: maps, headers: json, body: "[]" },
  "a text as an object": { method: "POST", path: maps, headers: json, body: '"x"' },
  "null as an object": { method: "POST", path: maps, headers: json, body: "null" },
  "bytes that are no text": {
    method: "POST",
    path: maps,
    headers: json,
    body: Buffer.concat([
      Buffer.from('{"metadata":{"name":"bytes"},"data":{"a":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]),
  },
  "too much": { method: "POST", path: maps, headers: json, body: `{"data":{"a":"${"x".repeat(3 << 20)}"}}` },
  "too deep": {
    method: "POST",
    path: maps,
    headers: json,
    body: `{"metadata":{"name":"deep"},"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  },
  "a patch that is too deep": {
    method: "PATCH",
    path: `${maps}/a`,
    headers: patchOf("merge-patch+json"),
    body: `{"data":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  },
  "an unknown trial run": {
    method: "POST",
    path: `${maps}?dryRun=Foo`,
    headers: json,
    body: '{"metadata":{"name":"z"}}',
  },
  "an empty trial run": { method: "POST", path: `${maps}?dryRun=`, headers: json, body: '{"metadata":{"name":"z"}}' },
  "a trial run twice": {
    method: "POST",
    path: `${maps}?dryRun=All&dryRun=All`,
    headers: json,
    body: '{"metadata":{"name":"z"}}',
  },
  "an unknown validation": {
    method: "POST",
    path: `${maps}?fieldValidation=Foo`,
    headers: json,
    body: '{"metadata":{"name":"z"}}',
  },
  "a long manager": {
    method: "POST",
    path: `${maps}?fieldManager=${"a".repeat(130)}&dryRun=x&fieldValidation=y`,
    headers: json,
    body: '{"metadata":{"name":"z"}}',
  },
  "a manager that cannot be printed": {
    method: "POST",
    path: `${maps}?fieldManager=a%07b`,
    headers: json,
    body: '{"metadata":{"name":"z"}}',
  },
  "force without apply": {
    method: "PATCH",
    path: `${maps}/a?force=true`,
    headers: patchOf("merge-patch+json"),
    body: "{}",
  },
  "apply without a manager": { method: "PATCH", path: `${maps}/a`, headers: patchOf("apply-patch+yaml"), body: "{}" },
  "apply of nothing": {
    method: "PATCH",
    path: `${maps}/a?fieldManager=x`,
    headers: patchOf("apply-patch+yaml"),
    body: "",
  },
  "apply of a list": {
    method: "PATCH",
    path: `${maps}/a?fieldManager=x`,
    headers: patchOf("apply-patch+yaml"),
    body: "[]",
  },
  "a patch of no type": { method: "PATCH", path: `${maps}/a`, body: "{}" },
  "a patch as an object": { method: "PATCH", path: `${maps}/a`, headers: json, body: "{}" },
  "half a merge patch": { method: "PATCH", path: `${maps}/a`, headers: patchOf("merge-patch+json"), body: "{bad" },
  "half a strategic patch": {
    method: "PATCH",
    path: `${maps}/a`,
    headers: patchOf("strategic-merge-patch+json"),
    body: "{bad",
  },
  "a list as a merge patch": { method: "PATCH", path: `${maps}/a`, headers: patchOf("merge-patch+json"), body: "[]" },
  "an object as a JSON patch": { method: "PATCH", path: `${maps}/a`, headers: patchOf("json-patch+json"), body: "{}" },
  "an unknown operation": {
    method: "PATCH",
    path: `${maps}/a`,
    headers: patchOf("json-patch+json"),
    body: '[{"op":"x"}]',
  },
  "a patch": {
    method: "PATCH",
    path: `${maps}/a`,
    headers: { "content-type": "application/merge-patch+json; charset=utf-8" },
    body: '{"data":{"y":"2"}}',
  },

  "a limit that is no number": { path: `${maps}?limit=x` },
  "a limit that is empty": { path: `${maps}?limit=` },
  "a limit that is too large": { path: `${maps}?limit=99999999999999999999` },
  "a timeout that is no number": { path: `${maps}?watch=1&timeoutSeconds=x` },
  "a label selector that is none": { path: `${maps}?labelSelector=a%3D%3D%3Db` },
  "a label selector of denials": { path: `${maps}?labelSelector=%21%21` },
  "a field selector that is none": { path: `${maps}?fieldSelector=a` },
  "a field that cannot be selected": { path: `${maps}?fieldSelector=spec.x%3D1` },
  "a version that is none": { path: `${maps}?resourceVersion=abc` },
  "a match without a version": { path: `${maps}?resourceVersionMatch=Exact` },
  "a match that is none": { path: `${maps}?resourceVersionMatch=Foo&resourceVersion=1` },
  "a list with initial events": { path: `${maps}?sendInitialEvents=true` },
  "a watch that goes on from a list": { path: `${maps}?watch=1&continue=xxx&timeoutSeconds=1` },
  "a watch with initial events alone": { path: `${maps}?watch=1&sendInitialEvents=true&timeoutSeconds=1` },

  "an unknown trial run of a delete": { method: "DELETE", path: `${maps}/b?dryRun=x` },
  "an unknown policy": { method: "DELETE", path: `${maps}/b`, headers: json, body: '{"propagationPolicy":"Foo"}' },
  "two policies": { method: "DELETE", path: `${maps}/b?propagationPolicy=Bar&orphanDependents=true` },
  "a grace that is no number": { method: "DELETE", path: `${maps}/b?gracePeriodSeconds=x` },
  "options of another kind": {
    method: "DELETE",
    path: `${maps}/b`,
    headers: json,
    body: '{"kind":"Foo","apiVersion":"v1"}',
  },
  "options that are no JSON": { method: "DELETE", path: `${maps}/b`, headers: json, body: "xx" },
  "options that are a list": { method: "DELETE", path: `${maps}/b`, headers: json, body: "[]" },
  "options of the wrong type": {
    method: "DELETE",
    path: `${maps}/b`,
    headers: json,
    body: '{"gracePeriodSeconds":"x"}',
  },
  "a trial run of the wrong type": { method: "DELETE", path: `${maps}/b`, headers: json, body: '{"dryRun":"All"}' },
  "a UID of the wrong type": {
    method: "DELETE",
    path: `${maps}/b`,
    headers: json,
    body: '{"preconditions":{"uid":4}}',
  },
  "a deletion on trial": { method: "DELETE", path: `${maps}/b?dryRun=All` },
  "a body, and so not the query": { method: "DELETE", path: `${maps}/b?dryRun=All`, headers: json, body: "{}" },
  "what is gone": { path: `${maps}/b` },

  "a table of one": { path: `${maps}/a`, headers: as("Table") },
  "an old table": { path: `${maps}/a`, headers: as("Table", "v1beta1") },
  "a table without objects": {
    path: `${maps}?fieldSelector=metadata.name%3Da&includeObject=None`,
    headers: as("Table"),
  },
  "a table with objects": {
    path: `${maps}?fieldSelector=metadata.name%3Da&includeObject=Object`,
    headers: as("Table"),
  },
  "a table with something": { path: `${maps}?includeObject=Foo`, headers: as("Table") },
  "metadata of one": { path: `${maps}/a`, headers: as("PartialObjectMetadata") },
  "metadata of many": {
    path: `${maps}?fieldSelector=metadata.name%3Da`,
    headers: as("PartialObjectMetadataList"),
  },
  "metadata of one of many": { path: maps, headers: as("PartialObjectMetadata") },
  "metadata of many of one": { path: `${maps}/a`, headers: as("PartialObjectMetadataList") },
  "a table that is made": {
    method: "POST",
    path: maps,
    headers: { ...json, ...as("Table") },
    body: '{"metadata":{"name":"tab"}}',
  },
  "a table that is deleted": { method: "DELETE", path: `${maps}/tab`, headers: as("Table") },
  "an object that is wanted in YAML": { path: `${maps}/a`, headers: { accept: "application/yaml" } },
  "a refusal in YAML": { path: `${maps}/nope`, headers: { accept: "application/yaml" } },
  "what is dearest": { path: `${maps}/a`, headers: { accept: "application/json;q=0.2, application/yaml;q=0.5" } },
  "what is not dear at all": { path: `${maps}/a`, headers: { accept: "application/json;q=0" } },
  "YAML before a table": {
    path: `${maps}/a`,
    headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1;q=0.1,application/yaml" },
  },
  "anything else than a table": {
    path: `${maps}/a`,
    headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v7,application/json" },
  },
  "a watch of the old form": { path: `/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1` },
  "a watch of tables": {
    path: `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da`,
    headers: as("Table"),
  },
  "a watch of metadata": {
    path: `${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da`,
    headers: as("PartialObjectMetadata"),
  },
  "a get that is no watch": { path: `${maps}/a?watch=true` },
  "a slash at the end": { path: `${maps}/a/` },

  "a definition": {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    headers: json,
    body: JSON.stringify(definition),
  },
  "a custom object": {
    method: "POST",
    path: widgets,
    headers: json,
    body: '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":2}}',
  },
  "custom objects": { path: widgets },
  "custom objects in a table": { path: widgets, headers: as("Table") },
  "a scale": { path: `${widgets}/w/scale` },
  "a strategic patch of a custom object": {
    method: "PATCH",
    path: `${widgets}/w`,
    headers: patchOf("strategic-merge-patch+json"),
    body: "{}",
  },
  "no such custom kind": { path: "/apis/example.com/v1/nope" },
  "no such custom version": { path: "/apis/example.com/v2/widgets" },
  "a group": { path: "/apis/example.com" },
  "its resources": { path: "/apis/example.com/v1" },
  "another group": { path: "/apis/apps" },
};

describe.skipIf(await missingControlPlane())("answers as a real API server does to", () => {
  let real: ControlPlane;
  let ours: ApiServer;
  let targets: { real: Target; ours: Target };
  beforeAll(async () => {
    const bob = { name: "bob", token: "bobs-token", groups: [] };
    real = await startControlPlane({ controllerManager: false, scheduler: false, users: [bob] });
    ours = await startApiServer({ dataDir: ":memory:", users: [{ token: bob.token, user: bob }] });
    const caPem = await readFile(join(real.directory, "apiserver.crt"), "utf8");
    targets = { real: { url: real.server, caPem }, ours };
  });
  afterAll(async () => {
    await ours?.stop();
    await real?.stop();
  });

  for (const [name, { user, ...request }] of Object.entries(requests)) {
    test(name, async () => {
      const tokens = { bob: "bobs-token", nobody: undefined, unknown: "rubbish" };
      const answers = await Promise.all(
        [
          { ...targets.real, token: user ? tokens[user] : real.token },
          { ...targets.ours, token: user ? tokens[user] : ours.token },
        ].map((target) => send(target as Target, request)),
      );
      const [wanted, got] = answers.map(({ code, headers, text }) => ({
        code,
        type: headers["content-type"],
        body: masked(text),
      }));
      expect(got).toEqual(wanted);
      // It is served a moment after it was made.
      if (name === "a definition")
        await Promise.all([established(targets.real, real.token), established(ours, ours.token)]);
    });
  }
});

async function established(target: Target, token: string): Promise<void> {
  while ((await send({ ...target, token }, { path: widgets })).code !== 200)
    await new Promise((done) => setTimeout(done, 50));
}

/** Without what differs from one server to the next, and without what describes a column. */
function masked(text: string): unknown {
  const lines = text.trim().split("\n");
  if (lines.length > 1 && lines[0]?.startsWith('{"type"')) return lines.map(masked);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text
      .replace(/(uid|resourceVersion|creationTimestamp|time): .*/g, "$1: masked")
      .replace(/ *managedFields:(\n +.*)*?(?=\n {2}\w)/, "");
  }
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => {
    if (
      [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "time",
        "description",
        "managedFields",
        "lastTransitionTime",
      ].includes(key)
    )
      return undefined;
    if (key === "storageVersionHash") return undefined;
    // What is not offered is not named.
    return typeof inner === "string"
      ? inner
          .replaceAll(", application/vnd.kubernetes.protobuf;stream=watch", "")
          .replaceAll(", application/vnd.kubernetes.protobuf", "")
      : inner;
  });
}
