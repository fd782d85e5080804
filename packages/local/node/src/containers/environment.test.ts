import type { ConfigMap, Secret, Service } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { environment } from "./environment.ts";
import { serviceEnvironment } from "./service-environment.ts";
import type { Container } from "./shapes.ts";
import { firstContainer, makePod, place } from "./testing/pods.ts";

const sources = {
  configMap: (name: string) =>
    name === "cm" ? ({ data: { a: "aaa", "b.txt": "b$(A)", "1bad": "x" } } as unknown as ConfigMap) : undefined,
  secret: (name: string) =>
    name === "sec" ? ({ data: { s: Buffer.from("sss").toString("base64") } } as unknown as Secret) : undefined,
  services: new Map([
    ["WEB_SERVICE_HOST", "10.96.0.5"],
    ["A", "of a service"],
  ]),
};

function env(container: Partial<Container>): Record<string, string> {
  const pod = makePod(
    { resources: { limits: { cpu: "1500m", memory: "64Mi" }, requests: { cpu: "250m" } }, ...container },
    { serviceAccountName: "player" },
    { labels: { x: "lx", y: 'q"' }, annotations: { z: "line\nline" } },
  );
  const all = Object.fromEntries(environment(pod, firstContainer(pod), place, sources));
  const { WEB_SERVICE_HOST: host, ...rest } = all;
  expect(host).toBe("10.96.0.5");
  return rest;
}

describe("a container's variables", () => {
  // The values are what a real kubelet gave.
  test("refer to those before them, and the last of a name wins", () => {
    const variables = [
      { name: "A", value: "a" },
      { name: "B", value: "$(A)-$(C)-$$(A)-$(WEB_SERVICE_HOST)" },
      { name: "C", value: "c" },
      { name: "A", value: "a2" },
      { name: "EMPTY" },
    ];
    expect(env({ env: variables })).toEqual({ A: "a2", B: "a-$(C)-$(A)-10.96.0.5", C: "c", EMPTY: "" });
  });

  test("come from the pod and its place", () => {
    const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
    expect(
      env({
        env: [
          field("IP", "status.podIP"),
          field("IPS", "status.podIPs"),
          field("HOST", "status.hostIP"),
          field("NAME", "metadata.name"),
          field("NS", "metadata.namespace"),
          field("UID", "metadata.uid"),
          field("L", "metadata.labels['x']"),
          field("NO", "metadata.annotations['no']"),
          field("LABELS", "metadata.labels"),
          field("ANN", "metadata.annotations"),
          field("NODE", "spec.nodeName"),
          field("SA", "spec.serviceAccountName"),
        ],
      }),
    ).toEqual({
      A: "of a service",
      IP: "10.202.0.2",
      IPS: "10.202.0.2",
      HOST: "192.0.2.7",
      NAME: "web",
      NS: "ctf",
      UID: "u-1",
      L: "lx",
      NO: "",
      LABELS: 'x="lx"\ny="q\\""',
      ANN: 'z="line\\nline"',
      NODE: "laptop",
      SA: "player",
    });
  });

  test("come from what the container may use, rounded up; without a limit, from what the machine has", () => {
    const amount = (name: string, resource: string, divisor = "") => ({
      name,
      valueFrom: { resourceFieldRef: { resource, ...(divisor && { divisor }) } },
    });
    expect(
      env({
        env: [
          amount("CPU", "limits.cpu"),
          amount("CPUM", "requests.cpu", "1m"),
          amount("MEM", "limits.memory", "1Mi"),
          amount("NOMEM", "requests.memory"),
          amount("ZERO", "limits.cpu", "0"),
        ],
      }),
    ).toMatchObject({ CPU: "2", CPUM: "250", MEM: "64", NOMEM: "0", ZERO: "2" });
    const machine = env({ resources: {}, env: [amount("CPU", "limits.cpu"), amount("MEM", "limits.memory", "1Gi")] });
    expect(machine).toMatchObject({ CPU: "2", MEM: "4" });
  });

  test("come from ConfigMaps and Secrets, by key or all of them", () => {
    const variables = [
      { name: "K", valueFrom: { configMapKeyRef: { name: "cm", key: "a" } } },
      { name: "S", valueFrom: { secretKeyRef: { name: "sec", key: "s" } } },
      { name: "O", valueFrom: { configMapKeyRef: { name: "nope", key: "a", optional: true } } },
      { name: "P", valueFrom: { secretKeyRef: { name: "sec", key: "nope", optional: true } } },
      { name: "REF", value: "$(P_a)" },
    ];
    const envFrom = [
      { prefix: "P_", configMapRef: { name: "cm" } },
      { secretRef: { name: "sec" } },
      { secretRef: { name: "nope", optional: true } },
    ];
    const { A: _, ...rest } = env({ env: variables, envFrom });
    expect(rest).toEqual({ K: "aaa", S: "sss", REF: "aaa", P_a: "aaa", "P_b.txt": "b$(A)", P_1bad: "x", s: "sss" });
  });

  const missing = [
    { from: { configMapKeyRef: { name: "cm", key: "nope" } }, want: "couldn't find key nope in ConfigMap ctf/cm" },
    { from: { configMapKeyRef: { name: "nope", key: "nope" } }, want: 'configmap "nope" not found' },
    { from: { secretKeyRef: { name: "sec", key: "toString" } }, want: "couldn't find key toString in Secret ctf/sec" },
    { from: { secretKeyRef: { name: "nope", key: "s" } }, want: 'secret "nope" not found' },
    { from: { fieldRef: { fieldPath: "spec.foo" } }, want: "unsupported fieldPath: spec.foo" },
    { from: { fileKeyRef: {} }, want: "this node cannot take a variable from fileKeyRef" },
  ];
  test.each(missing)("are refused in kubelet's words: $want", ({ from, want }) => {
    expect(() => env({ env: [{ name: "A", valueFrom: from as never }] })).toThrow(want);
  });
  test("are refused where all of an object is missing", () => {
    expect(() => env({ envFrom: [{ secretRef: { name: "nope" } }] })).toThrow('secret "nope" not found');
  });
});

describe("Services are told of", () => {
  const service = (name: string, namespace: string, spec: object, created = "2026-01-01T00:00:00Z") =>
    ({ metadata: { name, namespace, creationTimestamp: created }, spec }) as Service;
  const api = service("kubernetes", "default", { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] });
  const web = service("my-web", "ctf", {
    clusterIP: "10.96.0.5",
    ports: [
      { name: "http", port: 80 },
      { name: "dns-udp", port: 53, protocol: "UDP" },
    ],
  });
  const headless = service("quiet", "ctf", { clusterIP: "None", ports: [{ port: 1 }] });
  const elsewhere = service("web", "other", { clusterIP: "10.96.0.9", ports: [{ port: 1 }] });

  test("the API server to every pod, the others where the pod wants links", () => {
    const all = [api, web, headless, elsewhere];
    const apiEnv = {
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      KUBERNETES_SERVICE_PORT: "443",
      KUBERNETES_SERVICE_PORT_HTTPS: "443",
      KUBERNETES_PORT: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP: "tcp://10.96.0.1:443",
      KUBERNETES_PORT_443_TCP_PROTO: "tcp",
      KUBERNETES_PORT_443_TCP_PORT: "443",
      KUBERNETES_PORT_443_TCP_ADDR: "10.96.0.1",
    };
    const without = serviceEnvironment(makePod({}, { enableServiceLinks: false }), all);
    expect(Object.fromEntries(without)).toEqual(apiEnv);
    const withLinks = Object.fromEntries(serviceEnvironment(makePod(), all));
    expect(withLinks).toMatchObject({
      ...apiEnv,
      MY_WEB_SERVICE_HOST: "10.96.0.5",
      MY_WEB_SERVICE_PORT_DNS_UDP: "53",
      MY_WEB_PORT: "tcp://10.96.0.5:80",
      MY_WEB_PORT_53_UDP: "udp://10.96.0.5:53",
    });
    expect(Object.keys(withLinks).filter((name) => /QUIET|^WEB/.test(name))).toEqual([]);
  });

  test("of two that become the same variable, the older", () => {
    const young = service("my_web", "ctf", { clusterIP: "10.96.0.6", ports: [{ port: 1 }] }, "2026-02-01T00:00:00Z");
    expect(serviceEnvironment(makePod(), [young, web]).get("MY_WEB_SERVICE_HOST")).toBe("10.96.0.5");
  });
});
