import type { Service } from "@berg/kube";
import { expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "../kinds.ts";
import { servicePorts } from "./service-ports.ts";

const service = (spec: NonNullable<Service["spec"]>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "alice", name: "web" },
  spec: { clusterIP: "10.96.3.4", ports: [{ name: "http", port: 80 }], ...spec },
});
const slice = (endpoints: Endpoint[], more: Partial<EndpointSlice> = {}): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { namespace: "alice", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  ports: [{ name: "http", port: 8080, protocol: "TCP" }],
  endpoints,
  ...more,
});
const targets = (...slices: EndpointSlice[]) =>
  servicePorts(service({}), slices)[0]?.targets.map(({ address, port }) => `${address}:${port}`);

test("each port leads to the port of the same name of the ready endpoints, each once", () => {
  const endpoints = [{ addresses: ["10.0.0.2"] }, { addresses: ["10.0.0.1"], conditions: { ready: true } }];
  expect(servicePorts(service({}), [slice(endpoints), slice(endpoints)])).toEqual([
    {
      address: "10.96.3.4",
      protocol: "TCP",
      port: 80,
      isSticky: false,
      targets: [
        { address: "10.0.0.1", port: 8080 },
        { address: "10.0.0.2", port: 8080 },
      ],
    },
  ]);
});

test("of those that are not ready, only ones that end and still serve, and only where nobody is ready", () => {
  const ending = { addresses: ["10.0.0.1"], conditions: { ready: false, serving: true, terminating: true } };
  const starting = { addresses: ["10.0.0.2"], conditions: { ready: false, serving: false, terminating: false } };
  const ready = { addresses: ["10.0.0.3"], conditions: { ready: true } };
  expect(targets(slice([ending, starting]))).toEqual(["10.0.0.1:8080"]);
  expect(targets(slice([ending, starting, ready]))).toEqual(["10.0.0.3:8080"]);
  expect(targets(slice([starting]))).toEqual([]);
});

test.each<[string, Partial<EndpointSlice>]>([
  ["of another protocol", { ports: [{ name: "http", port: 8080, protocol: "UDP" }] }],
  ["of another port", { ports: [{ name: "other", port: 8080 }] }],
  ["without a port", { ports: null }],
  ["of IPv6", { addressType: "IPv6" }],
  [
    "of another namespace",
    { metadata: { namespace: "bob", name: "x", labels: { "kubernetes.io/service-name": "web" } } },
  ],
  [
    "of another Service",
    { metadata: { namespace: "alice", name: "x", labels: { "kubernetes.io/service-name": "w" } } },
  ],
  ["whose address is none", { endpoints: [{ addresses: ["10.0.0.1; drop"] }] }],
])("a slice %s leads nowhere", (_, more) => {
  expect(targets(slice([{ addresses: ["10.0.0.1"] }], more))).toEqual([]);
});

test.each([
  { clusterIP: "None" },
  { clusterIP: "" },
  { clusterIP: "fd00::1" },
  { type: "ExternalName", externalName: "a.b" },
])("a Service with %j has no address of its own", (spec) => {
  expect(servicePorts(service(spec), [])).toEqual([]);
});

test("a Service may keep a client with one pod", () => {
  expect(servicePorts(service({ sessionAffinity: "ClientIP" }), [])[0]?.isSticky).toBe(true);
});
