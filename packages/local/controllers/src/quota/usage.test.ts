import type { KubeObject, Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countedBy, objectUsage } from "./object-usage.ts";
import { podTotals, podUsage, type Usage } from "./pod-usage.ts";
import { isInScopes, scopesOf } from "./scopes.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const asking = (cpu: string, more: object = {}) => ({ name: "c", resources: { requests: { cpu } }, ...more });
const pod = (spec: object, status: object = {}, metadata: object = {}) =>
  ({ metadata: { name: "one", ...metadata }, spec: { containers: [], ...spec }, status }) as unknown as Stored<Pod>;
const texts = (usage: Usage) => Object.fromEntries([...usage].map(([name, amount]) => [name, String(amount)]));
const cpu = (spec: object) => texts(podTotals(pod(spec), "requests")).cpu;
const always = { restartPolicy: "Always" };

describe("a pod", () => {
  test("uses what it asks for, and what it is limited to, under every name", () => {
    const resources = {
      requests: { cpu: "1", memory: "1Gi", "hugepages-2Mi": "4Mi", "gpu.test/card": "2" },
      limits: { cpu: "2", memory: "2Gi", "ephemeral-storage": "1Gi", "gpu.test/card": "2" },
    };
    expect(texts(podUsage(pod({ containers: [{ name: "c", resources }] }), now))).toEqual({
      "count/pods": "1",
      pods: "1",
      cpu: "1",
      "requests.cpu": "1",
      "limits.cpu": "2",
      memory: "1Gi",
      "requests.memory": "1Gi",
      "limits.memory": "2Gi",
      "limits.ephemeral-storage": "1Gi",
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
      "requests.gpu.test/card": "2",
    });
  });

  test.each([
    ["has succeeded", pod({ containers: [asking("1")] }, { phase: "Succeeded" })],
    ["has failed", pod({ containers: [asking("1")] }, { phase: "Failed" })],
    [
      "should be gone by now",
      pod(
        { containers: [asking("1")] },
        {},
        { deletionTimestamp: "2025-12-31T23:59:20Z", deletionGracePeriodSeconds: 30 },
      ),
    ],
  ])("that %s only counts", (_, over) => {
    expect(texts(podUsage(over, now))).toEqual({ "count/pods": "1" });
  });

  test("that goes in time still uses all", () => {
    const going = { deletionTimestamp: "2025-12-31T23:59:40Z", deletionGracePeriodSeconds: 30 };
    expect(texts(podUsage(pod({ containers: [asking("1")] }, {}, going), now)).cpu).toBe("1");
  });

  test.each([
    ["its containers together", { containers: [asking("1"), asking("2")] }, "3"],
    [
      "its largest init container, where that is more",
      { containers: [asking("1")], initContainers: [asking("4"), asking("2")] },
      "4",
    ],
    ["sidecars beside its containers", { containers: [asking("1")], initContainers: [asking("2", always)] }, "3"],
    [
      "sidecars beside init containers that come later",
      { containers: [asking("1")], initContainers: [asking("2", always), asking("5")] },
      "7",
    ],
    [
      "init containers before sidecars alone",
      { containers: [asking("1")], initContainers: [asking("5"), asking("2", always)] },
      "5",
    ],
    ["its overhead on top", { containers: [asking("1")], overhead: { cpu: "250m" } }, "1250m"],
    [
      "what the pod as a whole asks for, where it does",
      { containers: [asking("1")], resources: { requests: { cpu: "9" } } },
      "9",
    ],
  ])("uses %s", (_, spec, want) => {
    expect(cpu(spec)).toBe(want);
  });

  test("never uses less than its containers together", () => {
    const milli = fc.nat(1000);
    fc.assert(
      fc.property(
        fc.array(milli, { maxLength: 4 }),
        fc.array(fc.tuple(milli, fc.boolean()), { maxLength: 4 }),
        (main, init) => {
          const total = podTotals(
            pod({
              containers: main.map((n) => asking(`${n}m`)),
              initContainers: init.map(([n, stays]) => asking(`${n}m`, stays ? always : {})),
            }),
            "requests",
          );
          const least =
            main.reduce((sum, n) => sum + n, 0) + init.reduce((sum, [n, stays]) => sum + (stays ? n : 0), 0);
          expect(Number(total.get("cpu")?.milliValue() ?? 0)).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });

  test("without a limit has none through its overhead", () => {
    expect(texts(podTotals(pod({ containers: [asking("1")], overhead: { cpu: "1" } }), "limits"))).toEqual({});
  });
});

describe("a quota with scopes", () => {
  const priority = (operator: string, values: string[] = []) => [{ scopeName: "PriorityClass", operator, values }];
  const named = (scopeName: string) => [{ scopeName, operator: "Exists" }];
  const high = pod({ priorityClassName: "high" });
  const abroad = pod({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ["x"] }] } },
  });
  test.each([
    ["Terminating", named("Terminating"), pod({ activeDeadlineSeconds: 0 }), true],
    ["Terminating, endless", named("Terminating"), pod({}), false],
    ["NotTerminating", named("NotTerminating"), pod({}), true],
    ["BestEffort", named("BestEffort"), pod({}), true],
    ["BestEffort, asking", named("BestEffort"), pod({ containers: [asking("1m")] }), false],
    ["NotBestEffort", named("NotBestEffort"), pod({ containers: [asking("1m")] }), true],
    ["the server's word counts", named("BestEffort"), pod({}, { qosClass: "Burstable" }), false],
    ["In", priority("In", ["high"]), high, true],
    ["In, other", priority("In", ["low"]), high, false],
    ["In, none", priority("In", ["low"]), pod({}), false],
    ["NotIn", priority("NotIn", ["low"]), high, true],
    ["NotIn, none", priority("NotIn", ["low"]), pod({}), true],
    ["Exists", priority("Exists"), high, true],
    ["DoesNotExist", priority("DoesNotExist"), high, false],
    ["CrossNamespacePodAffinity", named("CrossNamespacePodAffinity"), abroad, true],
    ["CrossNamespacePodAffinity, at home", named("CrossNamespacePodAffinity"), pod({}), false],
    ["all must hold", [...named("BestEffort"), ...named("Terminating")], pod({}), false],
    ["of a kind that is not known", named("Whatever"), pod({}), false],
  ])("%s", (_, scopes, one, want) => {
    expect(isInScopes(one, scopes)).toBe(want);
  });

  test("has those of both lists", () => {
    const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["a"] }];
    const spec = { scopes: ["BestEffort"], scopeSelector: { matchExpressions } };
    expect(scopesOf({ spec } as never)).toEqual([{ scopeName: "BestEffort", operator: "Exists" }, ...matchExpressions]);
  });
});

describe("other objects", () => {
  const use = (group: string, resource: string, object: object) =>
    texts(objectUsage({ group, resource }, { metadata: { name: "one" }, ...object } as KubeObject));
  const ports = [{ port: 1, nodePort: 30_000 }, { port: 2 }];
  test.each([
    ["a role", use("rbac", "roles", {}), { "count/roles.rbac": "1" }],
    ["a secret", use("", "secrets", {}), { "count/secrets": "1", secrets: "1" }],
    ["a plain service", use("", "services", { spec: { ports } }), { "count/services": "1", services: "1" }],
    [
      "a service on nodes",
      use("", "services", { spec: { type: "NodePort", ports } }),
      { "count/services": "1", services: "1", "services.nodeports": "2" },
    ],
    [
      "a balanced service without ports of its own",
      use("", "services", { spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports } }),
      { "count/services": "1", services: "1", "services.loadbalancers": "1", "services.nodeports": "1" },
    ],
    [
      "a claim, in whole bytes",
      use("", "persistentvolumeclaims", {
        spec: { storageClassName: "fast", resources: { requests: { storage: "1.5" } } },
      }),
      {
        "count/persistentvolumeclaims": "1",
        persistentvolumeclaims: "1",
        "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
        "requests.storage": "2",
        "fast.storageclass.storage.k8s.io/requests.storage": "2",
      },
    ],
  ])("%s", (_, got, want) => {
    expect(got).toEqual(want);
  });

  test.each([
    ["count/deployments.apps", "deployments.apps"],
    ["count/pods", "pods"],
    ["services.nodeports", "services"],
    ["requests.storage", "persistentvolumeclaims"],
    ["gold.storageclass.storage.k8s.io/requests.storage", "persistentvolumeclaims"],
    ["configmaps", "configmaps"],
    ["requests.cpu", "pods"],
    ["requests.gpu.test/card", "pods"],
  ])("%s is about %s", (name, resource) => {
    expect(countedBy(name)).toBe(resource);
  });
});
