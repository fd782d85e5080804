import type { NetworkPolicy, Service } from "@berg/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndpointSlice } from "../kinds.ts";
import type { NetworkState } from "../state.ts";
import { anyState } from "../testing/any-state.ts";
import { rulesScript } from "./script.ts";

const settings = { table: "berg-test", dnsPort: 5353 };
const pod = (namespace: string, address: string, labels = {}) => ({
  namespace,
  uid: address,
  address,
  labels,
  ports: [{ name: "web", protocol: "TCP", port: 8080 }],
});
const empty: NetworkState = { bridges: [], pods: [], services: [], slices: [], policies: [], namespaces: new Map() };

/** What one instance with outbound traffic and one without amount to. */
const example: NetworkState = {
  ...empty,
  bridges: [
    { namespace: "alice", bridge: "berg-aaaaaaaaaa" },
    { namespace: "bob", bridge: "berg-bbbbbbbbbb" },
  ],
  pods: [pod("alice", "10.202.1.3", { app: "web" }), pod("alice", "10.202.1.2"), pod("bob", "10.202.2.2")],
  services: [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "alice", name: "web" },
      spec: { clusterIP: "10.96.0.20", ports: [{ name: "http", port: 80 }] },
    } satisfies Service,
  ],
  slices: [
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace: "alice", name: "web", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: [{ addresses: ["10.202.1.2"] }, { addresses: ["10.202.1.3"] }],
    } satisfies EndpointSlice,
  ],
  policies: [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { namespace: "alice", name: "instance" },
      spec: {
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ from: [{ podSelector: {} }] }, { ports: [{ port: "web" }] }],
        egress: [
          { to: [{ podSelector: {} }] },
          { to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "10.1.0.0/16"] } }] },
          { to: [{ ipBlock: { cidr: "192.0.2.7/24" } }], ports: [{ port: 1000, endPort: 2000, protocol: "UDP" }] },
        ],
      },
    } satisfies NetworkPolicy,
  ],
};

test("the rules of two instances", async () => {
  await expect(rulesScript(example, settings)).toMatchFileSnapshot("snapshots/two-instances.nft");
});

test("a node without pods", async () => {
  await expect(rulesScript(empty, settings)).toMatchFileSnapshot("snapshots/no-pods.nft");
});

test("the order in which objects come makes no difference", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      // Of two pods or Services at one address the last counts, so there the order does matter.
      const pods = [...new Map(state.pods.map((one) => [one.address, one])).values()];
      const services = [...new Map(state.services.map((one) => [one.spec?.clusterIP, one])).values()];
      const distinct = { ...state, pods, services };
      const turned = {
        ...distinct,
        bridges: state.bridges.toReversed(),
        pods: pods.toReversed(),
        services: services.toReversed(),
        slices: state.slices.toReversed(),
        policies: state.policies.toReversed(),
      };
      expect(rulesScript(turned, settings)).toBe(rulesScript(distinct, settings));
    }),
  );
});

test("nothing that somebody wrote into an object gets into the script as it is", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(rulesScript(state, settings)).toMatch(/^[\w\s{}.:;,@!="/-]*$/);
      expect(rulesScript(state, settings)).not.toMatch(/garbage|x y|icmp;|1\.2\.3\.4/i);
    }),
  );
});

test("no address and no key is listed twice: nft would refuse all of it", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      for (const [, list = ""] of rulesScript(state, settings).matchAll(/elements = \{\n([^}]*)\}/g)) {
        const keys = list
          .trim()
          .split("\n")
          .map((line) => line.split(" : ")[0]?.trim());
        expect(new Set(keys).size).toBe(keys.length);
      }
    }),
  );
});

test("a pod whose namespace has no bridge gets no rule, and a Service without endpoints leads nowhere", () => {
  const script = rulesScript({ ...example, bridges: example.bridges.slice(1), slices: [] }, settings);
  expect(script).not.toContain("10.202.1.");
  expect(script).not.toContain("dnat ip to");
  expect(rulesScript({ ...example, slices: [] }, settings)).not.toContain("dnat ip to");
});

test("a client stays with its pod where the Service asks for it", () => {
  const services = example.services.map((one) => ({ ...one, spec: { ...one.spec, sessionAffinity: "ClientIP" } }));
  expect(rulesScript({ ...example, services }, settings)).toContain("dnat ip to jhash ip saddr mod 2 map {");
});
