import { expect, test } from "vitest";
import type { ServedResource } from "../resource.ts";
import {
  at,
  body,
  create,
  dryRun,
  type Given,
  givenRegistry,
  make,
  patchOf,
  refusalOf,
  remove,
  write,
} from "../testing/given.ts";
import { allKinds, configMaps, deployments, foos, namespaces, pods } from "../testing/kinds.ts";
import type { PatchBody } from "../verbs.ts";
import { subresourceEndpoints } from "./endpoints.ts";

const budgets: ServedResource = {
  ...configMaps,
  group: "policy",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  storedAs: "poddisruptionbudgets.policy",
  storedVersion: "policy/v1",
  schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

const kinds = [...allKinds, budgets];
const endpointsOf = ({ registry }: Given) => subresourceEndpoints(registry);

test("shows any kind as a scale", async () => {
  await using given = await givenRegistry();
  const spec = { replicas: 3, selector: { matchLabels: { x: "y" } } };
  const { object } = await create(given, deployments, make(deployments, "d", { spec }));
  const { scale } = endpointsOf(given);
  const { uid, resourceVersion, creationTimestamp } = object.metadata;
  expect(await scale.get(at(deployments, "d"))).toEqual({
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "d", namespace: "default", uid, resourceVersion, creationTimestamp },
    spec: { replicas: 3 },
    status: { replicas: 0, selector: "x=y" },
  });
  expect(await refusalOf(scale.get(at(deployments, "nope")))).toBe(`404 NotFound: deployments.apps "nope" not found`);
});

test("reads the scale of a custom kind from where its definition says", async () => {
  const paths = {
    specReplicasPath: ".spec.size",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.sel",
  };
  const sized: ServedResource = {
    ...foos,
    schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    subresources: { scale: { ...foos.subresources.scale, paths } as never },
  };
  await using given = await givenRegistry([], [sized]);
  await create(given, sized, make(sized, "a", { spec: { other: 1 } }));
  await given.verbs.patch(
    at(sized, "a"),
    "status",
    patchOf("merge", { status: { replicas: 2, sel: "a=b" } }),
    write,
    given.caller,
  );
  const { scale } = endpointsOf(given);
  await scale.update(at(sized, "a"), body({ metadata: { name: "a" }, spec: { replicas: 5 } }), write, given.caller);
  expect(await scale.get(at(sized, "a"))).toMatchObject({
    spec: { replicas: 5 },
    status: { replicas: 2, selector: "a=b" },
  });
  expect(await given.verbs.get(at(sized, "a"), {})).toMatchObject({
    spec: { other: 1, size: 5 },
    metadata: { generation: 2 },
  });
});

test("scales, and notes that it was done through the scale", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d", { spec: { replicas: 3, paused: true } }));
  const { scale } = endpointsOf(given);
  const put = (sent: object) => scale.update(at(deployments, "d"), body(sent), write, given.caller);
  const { object } = await put({ metadata: { name: "d" }, spec: { replicas: 5 } });
  expect(object).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
  const scaled = await given.verbs.get(at(deployments, "d"), {});
  expect(scaled).toMatchObject({ spec: { replicas: 5, paused: true }, metadata: { generation: 2 } });
  expect(scaled.metadata.managedFields?.map(({ subresource }) => subresource)).toContain("scale");
  expect((await put({ metadata: { name: "d" } })).object.spec).toEqual({});
});

const scaleRefusals: Record<string, { sent: object; want: string | RegExp }> = {
  "another name": {
    sent: { metadata: { name: "x" } },
    want: "400 BadRequest: the name of the object (x) does not match the name on the URL (d)",
  },
  "another version": {
    sent: { metadata: { name: "d", resourceVersion: "1" } },
    want: /^409 Conflict: Operation cannot be fulfilled on deployments.apps "d": the object has been modified/,
  },
  "another uid": {
    sent: { metadata: { name: "d", uid: "1" } },
    want: /^409 Conflict: .*Key: \/registry\/deployments\/default\/d, .*UID in precondition: 1/,
  },
  "too few": {
    sent: { metadata: { name: "d" }, spec: { replicas: -2 } },
    want: `422 Invalid: Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -2: must be greater than or equal to 0`,
  },
  "another kind": {
    sent: make(deployments, "d"),
    want: `400 BadRequest: Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion`,
  },
};
for (const [name, { sent, want }] of Object.entries(scaleRefusals)) {
  test(`a scale refuses ${name}`, async () => {
    await using given = await givenRegistry();
    await create(given, deployments, make(deployments, "d"));
    const refused = await refusalOf(
      endpointsOf(given).scale.update(at(deployments, "d"), body(sent), write, given.caller),
    );
    if (typeof want === "string") expect(refused).toBe(want);
    else expect(refused).toMatch(want);
  });
}

test("a scale can be patched", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d"));
  await create(given, foos, make(foos, "a"));
  const { scale } = endpointsOf(given);
  const patch = (resource: ServedResource, name: string, sent: PatchBody, options = write) =>
    scale.patch(at(resource, name), sent, options, given.caller);
  const six = { spec: { replicas: 6 } };
  expect((await patch(deployments, "d", patchOf("strategic", { ...six, foo: 1 }))).object).toMatchObject(six);
  expect(given.warnings).toEqual([`unknown field "foo"`]);
  expect((await patch(foos, "a", patchOf("merge", six))).object).toMatchObject(six);
  expect(
    (await patch(foos, "a", patchOf("json", [{ op: "replace", path: "/spec/replicas", value: 7 }]), dryRun)).object,
  ).toMatchObject({ spec: { replicas: 7 } });
  expect(await given.verbs.get(at(foos, "a"), {})).toMatchObject(six);
  expect(await refusalOf(patch(foos, "a", patchOf("strategic", six)))).toMatch(/^415 UnsupportedMediaType/);
  expect(await refusalOf(patch(deployments, "nope", patchOf("merge", six)))).toMatch(/^404/);
});

test("a scale can be applied, and who owns the number owns it in the object", async () => {
  await using given = await givenRegistry();
  await create(given, deployments, make(deployments, "d", { spec: { replicas: 1 } }));
  const { scale } = endpointsOf(given);
  const apply = (fieldManager: string, replicas: number, force = false) => {
    const value = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "d" }, spec: { replicas } };
    const sent: PatchBody = { type: "apply", force, body: body(value) };
    return scale.patch(at(deployments, "d"), sent, { ...write, fieldManager }, given.caller);
  };
  expect(await refusalOf(apply("x", 2))).toMatch(/^409 Conflict: Apply failed with 1 conflict/);
  expect((await apply("x", 2, true)).object).toMatchObject({ spec: { replicas: 2 } });
  expect(await refusalOf(apply("y", 3))).toMatch(/conflict with "x" with subresource "scale"/);
  const { spec, metadata } = await given.verbs.get(at(deployments, "d"), {});
  expect(spec).toMatchObject({ replicas: 2 });
  const owners = metadata.managedFields?.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes("f:replicas"));
  expect(owners).toMatchObject([{ manager: "x", operation: "Apply", apiVersion: "apps/v1", subresource: "scale" }]);
});

async function givenPods(): Promise<Given> {
  const given = await givenRegistry([], kinds);
  for (const name of ["p", "q"]) await create(given, pods, make(pods, name, { metadata: { labels: { app: "web" } } }));
  return given;
}
const phase = (given: Given, name: string, status: object) =>
  given.verbs.patch(at(pods, name), "status", patchOf("merge", { status }), write, given.caller);

test("binds a pod once", async () => {
  await using given = await givenPods();
  const bind = (sent: object, options = write, name = "p") =>
    endpointsOf(given)["pods/binding"].create(at(pods, name), body(sent), options, given.caller);
  const to = (node: string, metadata: object = {}) => ({
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: "p", ...metadata },
    target: { kind: "Node", name: node },
  });
  expect(await refusalOf(bind({ metadata: { name: "p" }, target: {} }))).toBe("500 -: target.name: Required value");
  expect(await refusalOf(bind({ metadata: { name: "p" }, target: { kind: "Foo", name: "n" } }))).toBe(
    `500 -: target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"`,
  );
  expect(await refusalOf(bind(to("n", { name: "other" })))).toBe(
    "400 BadRequest: name in URL does not match name in Binding object",
  );
  expect(await refusalOf(bind({ ...to("n"), metadata: { name: "nope" } }, write, "nope"))).toBe(
    `404 NotFound: pods "nope" not found`,
  );
  expect(await refusalOf(bind(to("n", { uid: "x" })))).toMatch(
    /^409 Conflict: .*Precondition failed: UID in precondition: x/,
  );
  await bind(to("n"), dryRun);
  expect(await bind(to("n1", { annotations: { x: "y" }, labels: { l: "m" } }))).toEqual({
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Success",
    code: 201,
  });
  const pod = given.store.table("pods").newest("default/p");
  expect(pod).toMatchObject({
    metadata: { generation: 1, annotations: { x: "y" }, labels: { app: "web", l: "m" } },
    spec: { nodeName: "n1" },
    status: { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
  });
  expect(await refusalOf(bind(to("n2")))).toBe(
    `409 Conflict: Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"`,
  );
  await given.verbs.delete(at(pods, "q"), remove, given.caller);
  expect(await refusalOf(bind({ ...to("n"), metadata: { name: "q" } }, write, "q"))).toBe(
    `409 Conflict: Operation cannot be fulfilled on pods/binding "q": pod q is being deleted, cannot be assigned to a host`,
  );
});

const evict = (given: Given, name: string, more: object = {}, options = write) =>
  endpointsOf(given)["pods/eviction"].create(
    at(pods, name),
    body({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, ...more }),
    options,
    given.caller,
  );
const budget = (name: string, status: object) =>
  make(budgets, name, {
    metadata: { generation: 1 },
    spec: { selector: { matchLabels: { app: "web" } } },
    status: { observedGeneration: 1, ...status },
  });
const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

test("evicts a pod that nothing protects", async () => {
  await using given = await givenPods();
  expect(await refusalOf(evict(given, "nope"))).toBe(`404 NotFound: pods "nope" not found`);
  expect(await refusalOf(evict(given, "p", { metadata: { name: "other" } }))).toBe(
    "400 BadRequest: name in URL does not match name in Eviction object",
  );
  expect(await refusalOf(evict(given, "p", { kind: "Pod", apiVersion: "v1" }))).toBe(
    `400 BadRequest: Pod in version "v1" cannot be handled as a Eviction: converting (v1.Pod) to (policy.Eviction): unknown conversion`,
  );
  expect(await refusalOf(evict(given, "p", { deleteOptions: { preconditions: { uid: "x" } } }))).toMatch(
    /^409 Conflict: Operation cannot be fulfilled on Pod "p": the UID in the precondition \(x\)/,
  );
  const { revision } = given.store;
  await evict(given, "p", {}, dryRun);
  await evict(given, "p", { deleteOptions: { dryRun: ["All"] } });
  expect(given.store.revision).toBe(revision);
  expect(await evict(given, "p", { deleteOptions: { gracePeriodSeconds: 7 } })).toMatchObject({
    status: "Success",
    code: 201,
  });
  expect(given.store.table("pods").newest("default/p")).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 7 },
    status: {
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "EvictionByEvictionAPI",
          message: "Eviction API: evicting",
        },
      ],
    },
  });
});

test("asks the budget, and takes from it", async () => {
  await using given = await givenPods();
  await phase(given, "p", { phase: "Running", conditions: [] });
  await phase(given, "q", { phase: "Running", conditions: [] });
  await create(given, budgets, budget("b", { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 3 }));
  await evict(given, "p");
  expect(given.store.table("poddisruptionbudgets.policy").newest("default/b")).toMatchObject({
    status: {
      disruptionsAllowed: 0,
      disruptedPods: { p: "2026-01-01T00:00:00Z" },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
    },
  });
  const refused = await evict(given, "q").catch((error) => error.status);
  expect(refused).toMatchObject({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        { reason: "DisruptionBudget", message: "The disruption budget b needs 3 healthy pods and has 2 currently" },
      ],
    },
  });
  expect(given.store.table("pods").newest("default/q")?.metadata).not.toHaveProperty("deletionTimestamp");
});

test.each([
  ["a budget that is not looked at yet", { observedGeneration: 0 }, running, 429],
  ["a budget below zero", { disruptionsAllowed: -1 }, running, 403],
  [
    "a pod that is not ready while enough others are",
    { currentHealthy: 1, desiredHealthy: 1 },
    { phase: "Running" },
    201,
  ],
  [
    "a pod that is not ready while others are missing",
    { currentHealthy: 1, desiredHealthy: 2 },
    { phase: "Running" },
    429,
  ],
  ["a ready pod while just enough are", { currentHealthy: 1, desiredHealthy: 1 }, running, 429],
  ["a pod that is pending", {}, { phase: "Pending" }, 201],
])("eviction of %s", async (_name, status, pod, want) => {
  await using given = await givenRegistry(
    [],
    [...kinds.filter(({ resource }) => resource !== "pods"), { ...pods, schema: budgets.schema }],
  );
  await create(given, pods, make(pods, "p", { metadata: { labels: { app: "web" } } }));
  const stored = given.store.table("pods").newest("default/p");
  await given.store.table("pods").put({ ...stored, status: pod } as never);
  await create(given, budgets, budget("b", status));
  const code = await evict(given, "p").then(
    (answer) => answer.code,
    (error) => error.code,
  );
  expect(code).toBe(want);
});

test("does not choose between budgets", async () => {
  await using given = await givenPods();
  await phase(given, "p", { phase: "Running" });
  await create(given, budgets, budget("b", {}));
  await create(given, budgets, budget("c", {}));
  expect(await refusalOf(evict(given, "p"))).toBe(
    "500 -: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  );
});

test("writes ephemeral containers and nothing else", async () => {
  await using given = await givenRegistry(
    [],
    [{ ...pods, schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }],
  );
  const resource = given.registry.served.all()[0] as ServedResource;
  await create(given, resource, make(resource, "p", { spec: { nodeName: "n" }, metadata: { labels: { a: "b" } } }));
  const sent = patchOf("merge", {
    metadata: { labels: { q: "q" } },
    spec: { nodeName: "other", ephemeralContainers: [{ name: "dbg" }] },
  });
  const { object } = await endpointsOf(given)["pods/ephemeralcontainers"].patch(
    at(resource, "p"),
    sent,
    write,
    given.caller,
  );
  expect(object).toMatchObject({
    spec: { nodeName: "n", ephemeralContainers: [{ name: "dbg" }] },
    metadata: { labels: { a: "b" }, generation: 2 },
  });
  expect(object.metadata.labels).toEqual({ a: "b" });
});

test("finalizing a namespace lets it go, once it is marked and nothing else holds it", async () => {
  await using given = await givenRegistry();
  await create(given, namespaces, make(namespaces, "nn"));
  const finalize = (finalizers: string[]) =>
    endpointsOf(given)["namespaces/finalize"].update(
      at(namespaces, "nn"),
      body(make(namespaces, "nn", { spec: { finalizers }, status: { phase: "Odd" } })),
      write,
      given.caller,
    );
  const { object } = await finalize(["kubernetes", "x.io/y"]);
  expect(object).toMatchObject({ spec: { finalizers: ["kubernetes", "x.io/y"] }, status: { phase: "Active" } });
  await given.verbs.delete(at(namespaces, "nn"), remove, given.caller);
  // The usual update cannot.
  await given.verbs.update(
    at(namespaces, "nn"),
    "",
    body(make(namespaces, "nn", { spec: { finalizers: [] } })),
    write,
    given.caller,
  );
  await finalize(["x.io/y"]);
  expect(given.store.table("namespaces").newest("nn")).toBeDefined();
  await finalize([]);
  expect(given.store.table("namespaces").newest("nn")).toBeUndefined();
});
