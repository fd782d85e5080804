/** What the standard admissions do and refuse, in the words of a real API server. */
import { beforeEach, describe, expect, test } from "vitest";
import { Rbac } from "../authorization/rbac.ts";
import { priorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { AnyObject, ServedResource } from "../registry/resource.ts";
import {
  at,
  body,
  dryRun,
  type Given,
  givenRegistry,
  make,
  patchOf,
  refusalOf,
  remove,
  write,
} from "../registry/testing/given.ts";
import { configMaps, deployments, namespaces, secrets, pods as strictPods } from "../registry/testing/kinds.ts";
import type { Admission } from "./admission.ts";
import { standardAdmissions } from "./standard-admissions.ts";

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
const core = (resource: string, kind: string): ServedResource => ({
  ...configMaps,
  resource,
  kind,
  storedAs: resource,
  schema: anything,
});
const pods: ServedResource = { ...strictPods, schema: anything };
const services = core("services", "Service");
const quotas = core("resourcequotas", "ResourceQuota");
const limitRanges = core("limitranges", "LimitRange");
const serviceAccounts = core("serviceaccounts", "ServiceAccount");
const kinds = [
  ...[namespaces, configMaps, secrets, deployments, pods],
  ...[services, quotas, limitRanges, serviceAccounts, priorityClasses],
];

let given: Given;
const create = (resource: ServedResource, object: AnyObject, options = write, namespace = "ns") =>
  given.verbs.create(resource, resource.namespaced ? namespace : "", body(object), options, given.caller);

beforeEach(async () => {
  const admissions: Admission[] = [];
  given = await givenRegistry(admissions, kinds);
  admissions.push(
    ...standardAdmissions({ store: given.store, served: given.registry.served, rbac: new Rbac(given.store) }),
  );
  for (const name of ["ns", "default"]) await create(namespaces, make(namespaces, name));
  await create(serviceAccounts, make(serviceAccounts, "default"));
  return () => given[Symbol.asyncDispose]();
});

const pod = (name: string, ...resources: object[]) =>
  make(pods, name, {
    spec: { containers: resources.map((resource, i) => ({ name: "cdef"[i], image: "i", resources: resource })) },
  });
const specOf = (object: AnyObject) =>
  object.spec as Record<string, unknown> & { containers: Record<string, unknown>[] };

describe("namespaces", () => {
  test("nothing is made in one that is not there", async () => {
    expect(await refusalOf(create(configMaps, make(configMaps, "a"), write, "nope"))).toBe(
      `404 NotFound: namespaces "nope" not found`,
    );
    // Even where it would be refused for another reason.
    expect(await refusalOf(create(configMaps, make(configMaps, "B"), write, "nope"))).toBe(
      `404 NotFound: namespaces "nope" not found`,
    );
  });

  test("nothing new is made in one that goes, but what is there may change", async () => {
    await create(configMaps, make(configMaps, "old"));
    await given.verbs.delete(at(namespaces, "ns"), remove, given.caller);
    const refused = await create(deployments, make(deployments, "x")).catch((error) => error.status);
    expect(refused).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `deployments.apps "x" is forbidden: unable to create new content in namespace ns because it is being terminated`,
      reason: "Forbidden",
      details: {
        name: "x",
        group: "apps",
        kind: "deployments",
        causes: [
          { reason: "NamespaceTerminating", message: "namespace ns is being terminated", field: "metadata.namespace" },
        ],
      },
      code: 403,
    });
    await given.verbs.patch(
      at(configMaps, "old", "ns"),
      "",
      patchOf("merge", { data: { x: "1" } }),
      write,
      given.caller,
    );
    await given.verbs.delete(at(configMaps, "old", "ns"), remove, given.caller);
  });

  test("some stay for good", async () => {
    expect(await refusalOf(given.verbs.delete(at(namespaces, "default"), remove, given.caller))).toBe(
      `403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted`,
    );
  });

  test("the name from which one is made stands for the name", async () => {
    await given.verbs.delete(at(namespaces, "ns"), remove, given.caller);
    expect(await refusalOf(create(configMaps, make(configMaps, "", { metadata: { generateName: "web-" } })))).toMatch(
      /^403 Forbidden: configmaps "web-" is forbidden/,
    );
  });
});

test("a pod must keep to the Pod Security level of its namespace", async () => {
  const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  await create(namespaces, make(namespaces, "safe", { metadata: { labels } }));
  await create(serviceAccounts, make(serviceAccounts, "default"), write, "safe");
  const spec = { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] };
  expect(await refusalOf(create(pods, make(pods, "p", { spec }), write, "safe"))).toBe(
    `403 Forbidden: pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)`,
  );
  await create(pods, make(pods, "p", { spec }));
});

describe("limit ranges", () => {
  const limits = [
    {
      type: "Container",
      default: { cpu: "500m", memory: "1Gi" },
      defaultRequest: { cpu: "100m", memory: "1Gi" },
      min: { cpu: "50m" },
      max: { cpu: "1", memory: "2Gi" },
      maxLimitRequestRatio: { cpu: "8" },
    },
    { type: "Pod", max: { cpu: "1500m" }, min: { memory: "10Mi" } },
  ];
  beforeEach(async () => void (await create(limitRanges, make(limitRanges, "l", { spec: { limits } }))));

  test("give a container what it does not ask for", async () => {
    const { object } = await create(pods, pod("p", {}, { limits: { cpu: "200m" } }));
    expect(specOf(object).containers.map(({ resources }) => resources)).toEqual([
      { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "500m", memory: "1Gi" } },
      { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "200m", memory: "1Gi" } },
    ]);
    expect(object.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c; cpu, memory request for container d; memory limit for container d",
    });
  });

  test.each([
    [
      "too much",
      [{ limits: { cpu: "2" }, requests: { cpu: "2" } }],
      "[maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, but limit is 2]",
    ],
    [
      "too little, too much and too far apart",
      [{ requests: { cpu: "10m", memory: "3Gi" }, limits: { memory: "3Gi" } }],
      "[minimum cpu usage per Container is 50m, but request is 10m, maximum memory usage per Container is 2Gi, but limit is 3Gi, cpu max limit to request ratio per Container is 8, but provided ratio is 50.000000]",
    ],
    [
      "too far apart",
      [{ requests: { cpu: "60m" }, limits: { cpu: "1" } }],
      "cpu max limit to request ratio per Container is 8, but provided ratio is 16.666667",
    ],
    [
      "too much together",
      [
        { limits: { cpu: "800m" }, requests: { cpu: "800m" } },
        { limits: { cpu: "800m" }, requests: { cpu: "800m" } },
      ],
      "maximum cpu usage per Pod is 1500m, but limit is 1600m",
    ],
    [
      "too little together",
      [{ limits: { cpu: "800m", memory: "5Mi" }, requests: { memory: "5Mi", cpu: "800m" } }],
      "minimum memory usage per Pod is 10Mi, but request is 5Mi",
    ],
  ])("refuse %s", async (_name, resources, why) => {
    expect(await refusalOf(create(pods, pod("p", ...resources), dryRun))).toBe(
      `403 Forbidden: pods "p" is forbidden: ${why}`,
    );
  });

  test("count init containers that come one after the other, beside those that stay", async () => {
    const of = (name: string, cpu: string, more: object = {}) => ({
      name,
      ...more,
      resources: { requests: { cpu }, limits: { cpu } },
    });
    const initContainers = [of("sidecar", "700m", { restartPolicy: "Always" }), of("init", "900m")];
    const sent = make(pods, "p", { spec: { containers: [of("c", "100m")], initContainers } });
    expect(await refusalOf(create(pods, sent, dryRun))).toMatch(
      /: maximum cpu usage per Pod is 1500m, but limit is 1600m$/,
    );
  });

  test("leave a pod alone that is there", async () => {
    await create(pods, pod("p", {}));
    await given.verbs.delete(at(limitRanges, "l", "ns"), remove, given.caller);
    await create(
      limitRanges,
      make(limitRanges, "l", { spec: { limits: [{ type: "Container", max: { cpu: "1m" } }] } }),
    );
    await given.verbs.patch(
      at(pods, "p", "ns"),
      "",
      patchOf("merge", { metadata: { labels: { a: "b" } } }),
      write,
      given.caller,
    );
  });
});

describe("quotas", () => {
  const quota = (spec: object) => create(quotas, make(quotas, "q", { spec }));
  const small = { requests: { cpu: "500m" }, limits: { memory: "100Mi" } };

  test("want every container to say what it uses", async () => {
    await quota({ hard: { "requests.cpu": "1", "limits.memory": "1Gi", pods: "5" } });
    expect(await refusalOf(create(pods, pod("p", {}, small, { limits: { memory: "1Mi" } })))).toBe(
      `403 Forbidden: pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c,e`,
    );
  });

  test("refuse what does not fit", async () => {
    await quota({ hard: { "requests.cpu": "1", "limits.memory": "1Gi", pods: "1" } });
    await create(pods, pod("p", small));
    expect(await refusalOf(create(pods, pod("p2", { requests: { cpu: "600m" }, limits: { memory: "1Gi" } })))).toBe(
      `403 Forbidden: pods "p2" is forbidden: exceeded quota: q, requested: limits.memory=1Gi,pods=1,requests.cpu=600m, used: limits.memory=100Mi,pods=1,requests.cpu=500m, limited: limits.memory=1Gi,pods=1,requests.cpu=1`,
    );
    await given.verbs.patch(
      at(pods, "p", "ns"),
      "",
      patchOf("merge", { metadata: { labels: { a: "b" } } }),
      write,
      given.caller,
    );
    await given.verbs.patch(
      at(pods, "p", "ns"),
      "status",
      patchOf("merge", { status: { phase: "Succeeded" } }),
      write,
      given.caller,
    );
    await create(pods, pod("p2", small));
  });

  describe("say what is used as soon as something was stored", () => {
    const counted = (name: string, used: Record<string, string>, more: object = {}) => {
      const hard = Object.fromEntries(Object.keys(used).map((key) => [key, "10"]));
      return create(quotas, make(quotas, name, { spec: { hard, ...more }, status: { hard, used } }));
    };
    const usedOf = (name: string) => {
      const { status } = given.store.table("resourcequotas").get(`ns/${name}`) as AnyObject;
      return (status as { used?: object } | undefined)?.used;
    };
    const zeros = { "requests.cpu": "0", pods: "0", "count/configmaps": "0" };

    test("in every quota that is about it, and for nothing else", async () => {
      await counted("a", zeros);
      await counted("b", { pods: "0" }, { scopes: ["NotBestEffort"] });
      await counted("c", { pods: "0" }, { scopes: ["BestEffort"] });
      await create(pods, pod("p", small));
      expect(usedOf("a")).toEqual({ ...zeros, "requests.cpu": "500m", pods: "1" });
      expect([usedOf("b"), usedOf("c")]).toEqual([{ pods: "1" }, { pods: "0" }]);
      await Promise.all(["x", "y"].map((name) => create(configMaps, make(configMaps, name))));
      expect(usedOf("a")).toEqual({ "requests.cpu": "500m", pods: "1", "count/configmaps": "2" });
    });

    test("also what an update adds", async () => {
      await counted("a", { "services.nodeports": "0" });
      await create(services, make(services, "s", { spec: { ports: [{ port: 80 }] } }));
      expect(usedOf("a")).toEqual({ "services.nodeports": "0" });
      const patch = patchOf("merge", { spec: { type: "NodePort" } });
      await given.verbs.patch(at(services, "s", "ns"), "", patch, { ...dryRun }, given.caller);
      expect(usedOf("a")).toEqual({ "services.nodeports": "0" });
      await given.verbs.patch(at(services, "s", "ns"), "", patch, write, given.caller);
      expect(usedOf("a")).toEqual({ "services.nodeports": "1" });
    });

    test("not for what is not stored", async () => {
      await counted("a", zeros);
      await create(pods, pod("p", small), dryRun);
      await create(configMaps, make(configMaps, "x"));
      expect(await refusalOf(create(configMaps, make(configMaps, "x")))).toMatch(/^409/);
      expect(await refusalOf(create(pods, pod("p", { requests: { cpu: "11" } })))).toMatch(/^403/);
      expect(usedOf("a")).toEqual({ ...zeros, "count/configmaps": "1" });
    });

    test("not before a controller has counted what is there", async () => {
      await quota({ hard: { "count/configmaps": "3" } });
      await create(configMaps, make(configMaps, "x"));
      expect(usedOf("q")).toBeUndefined();
    });

    test("only of what the last count was about", async () => {
      const spec = { hard: { "count/configmaps": "10", "count/secrets": "10" } };
      const status = { hard: { "count/configmaps": "10" }, used: { "count/configmaps": "0" } };
      await create(quotas, make(quotas, "a", { spec, status }));
      await create(secrets, make(secrets, "x"));
      expect(usedOf("a")).toEqual({ "count/configmaps": "0" });
    });

    test("as the server's own doing", async () => {
      await counted("a", { "count/configmaps": "0" });
      await create(configMaps, make(configMaps, "x"));
      const { metadata } = given.store.table("resourcequotas").get("ns/a") as AnyObject;
      expect(metadata.managedFields?.find(({ manager }) => manager === "kube-apiserver")).toMatchObject({
        operation: "Update",
        subresource: "status",
        fieldsV1: { "f:status": { "f:used": { "f:count/configmaps": {} } } },
      });
    });
  });

  test("hold for requests that come at once", async () => {
    await quota({ hard: { "count/configmaps": "3" } });
    const outcomes = await Promise.allSettled(
      ["a", "b", "c", "d", "e"].map((name) => create(configMaps, make(configMaps, name))),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  test.each([
    ["secrets", { secrets: "0" }, secrets, {}, "secrets=1, used: secrets=0, limited: secrets=0"],
    [
      "any kind",
      { "count/deployments.apps": "0" },
      deployments,
      {},
      "count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0",
    ],
    [
      "node ports",
      { services: "1", "services.nodeports": "0" },
      services,
      { spec: { type: "NodePort", ports: [{ port: 80 }, { port: 81 }] } },
      "services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=0",
    ],
  ] as const)("count %s", async (_name, hard, resource, more, want) => {
    await quota({ hard });
    const shown = resource.group ? `${resource.resource}.${resource.group}` : resource.resource;
    expect(await refusalOf(create(resource, make(resource, "x", more)))).toBe(
      `403 Forbidden: ${shown} "x" is forbidden: exceeded quota: q, requested: ${want}`,
    );
  });

  test("count what an update adds, and not what was there", async () => {
    await quota({ hard: { services: "1", "services.nodeports": "1" } });
    await create(services, make(services, "s", { spec: { type: "NodePort", ports: [{ port: 80 }] } }));
    const patch = (spec: object) =>
      given.verbs.patch(at(services, "s", "ns"), "", patchOf("merge", { spec }), write, given.caller);
    await patch({ other: 1 });
    expect(await refusalOf(patch({ ports: [{ port: 80 }, { port: 81 }] }))).toMatch(
      /exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1$/,
    );
  });

  test("do not hold what is there against an update that adds nothing", async () => {
    await create(pods, pod("p", {}));
    await create(services, make(services, "s", { spec: { type: "NodePort", ports: [{ port: 80 }] } }));
    await quota({ hard: { "requests.cpu": "1", services: "0", "services.nodeports": "0" } });
    const labels = patchOf("merge", { metadata: { labels: { a: "b" } } });
    await given.verbs.patch(at(pods, "p", "ns"), "", labels, write, given.caller);
    await given.verbs.patch(at(services, "s", "ns"), "", labels, write, given.caller);
  });

  test.each([
    ["BestEffort", pod("p", {}), true],
    ["BestEffort", pod("p", small), false],
    ["NotBestEffort", pod("p", small), true],
    ["Terminating", make(pods, "p", { spec: { activeDeadlineSeconds: 5 } }), true],
    ["Terminating", pod("p", {}), false],
    ["NotTerminating", pod("p", {}), true],
  ])("with the scope %s are about some pods only", async (scope, sent, isAbout) => {
    await quota({ hard: { pods: "0" }, scopes: [scope] });
    expect((await refusalOf(create(pods, sent))).startsWith("403")).toBe(isAbout);
  });

  test("with a scope are about nothing but pods", async () => {
    await quota({ hard: { "count/configmaps": "0" }, scopes: ["BestEffort"] });
    await create(configMaps, make(configMaps, "a"));
  });

  test("look at one namespace", async () => {
    await quota({ hard: { "count/configmaps": "0" } });
    await create(configMaps, make(configMaps, "a"), write, "default");
  });
});

describe("pods", () => {
  test("run as a service account that is there", async () => {
    expect(
      await refusalOf(create(pods, make(pods, "p", { spec: { serviceAccountName: "nope", containers: [] } }))),
    ).toBe(
      `403 Forbidden: pods "p" is forbidden: error looking up service account ns/nope: serviceaccount "nope" not found`,
    );
    const { object } = await create(pods, pod("p", {}));
    expect(object.spec).toMatchObject({ serviceAccountName: "default", serviceAccount: "default" });
  });

  test("find its token, unless they do not want it", async () => {
    const spec = specOf((await create(pods, pod("p", {}))).object);
    const [volume] = spec.volumes as { name: string }[];
    expect(volume?.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(spec.containers[0]?.volumeMounts).toEqual([
      { name: volume?.name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ]);
    const without = make(pods, "q", { spec: { automountServiceAccountToken: false, containers: [{ name: "c" }] } });
    expect(specOf((await create(pods, without)).object)).not.toHaveProperty("volumes");
    await create(
      serviceAccounts,
      make(serviceAccounts, "quiet", { automountServiceAccountToken: false, imagePullSecrets: [{ name: "s" }] }),
    );
    const quiet = make(pods, "r", { spec: { serviceAccountName: "quiet", containers: [{ name: "c" }] } });
    const { object } = await create(pods, quiet);
    expect(object.spec).not.toHaveProperty("volumes");
    expect(object.spec).toMatchObject({ imagePullSecrets: [{ name: "s" }] });
  });

  test("tolerate a lost node for five minutes, unless they say otherwise", async () => {
    const tolerations = async (name: string, own?: object[]) =>
      specOf(
        (await create(pods, make(pods, name, { spec: { containers: [], ...(own && { tolerations: own }) } }))).object,
      ).tolerations;
    const of = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    expect(await tolerations("a")).toEqual([of("node.kubernetes.io/not-ready"), of("node.kubernetes.io/unreachable")]);
    expect(await tolerations("b", [{ operator: "Exists" }])).toEqual([{ operator: "Exists" }]);
    const own = { key: "node.kubernetes.io/not-ready", effect: "NoExecute" };
    expect(await tolerations("c", [own])).toEqual([own, of("node.kubernetes.io/unreachable")]);
  });

  const priorityOf = async (name: string, spec: object) =>
    specOf((await create(pods, make(pods, name, { spec: { containers: [], ...spec } }))).object);
  const priorityClass = (name: string, more: Record<string, unknown>) =>
    create(priorityClasses, make(priorityClasses, name, more));

  test("get the priority of their class", async () => {
    await priorityClass("high", { value: 7, preemptionPolicy: "Never" });
    expect(await priorityOf("a", {})).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    expect(await priorityOf("b", { priorityClassName: "high" })).toMatchObject({
      priority: 7,
      preemptionPolicy: "Never",
    });
    expect(await refusalOf(priorityOf("c", { priorityClassName: "nope" }))).toBe(
      `403 Forbidden: pods "c" is forbidden: no PriorityClass with name nope was found`,
    );
    expect(await refusalOf(priorityOf("d", { priority: 7 }))).toMatch(
      /the integer value of priority \(7\) must not be provided in pod spec; priority admission controller computed 0 from/,
    );
    expect(
      await refusalOf(priorityOf("e", { priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" })),
    ).toMatch(
      /the string value of PreemptionPolicy \(PreemptLowerPriority\) must not be provided .* computed Never from/,
    );
    const { object } = await given.verbs.patch(
      at(pods, "b", "ns"),
      "",
      patchOf("merge", { spec: { priority: null, preemptionPolicy: null } }),
      write,
      given.caller,
    );
    expect(object.spec).toMatchObject({ priority: 7, preemptionPolicy: "Never" });
  });

  test("get that of the default class, of which there is one", async () => {
    await priorityClass("usual", { value: 5, globalDefault: true });
    expect(await priorityOf("a", {})).toMatchObject({ priority: 5, priorityClassName: "usual" });
    const second = "PriorityClass usual is already marked as default. Only one default can exist";
    expect(await refusalOf(priorityClass("other", { value: 6, globalDefault: true }))).toContain(second);
    await priorityClass("other", { value: 6 });
    const mark = (name: string) =>
      given.verbs.patch(
        at(priorityClasses, name),
        "",
        patchOf("merge", { globalDefault: true, description: "x" }),
        write,
        given.caller,
      );
    expect(await refusalOf(mark("other"))).toContain(second);
    expect((await mark("usual")).object).toMatchObject({ description: "x", metadata: { generation: 1 } });
  });
});
