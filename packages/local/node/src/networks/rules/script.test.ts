import type { NetworkPolicy, Service } from "@berg/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EndpointSlice } from "../kinds.ts";
import type { NetworkState } from "../state.ts";
import { anyState } from "../testing/any-state.ts";
import { changesOf } from "./changes.ts";
import { rulesOf } from "./rules.ts";
import { wholeScript } from "./script.ts";

const settings = { table: "berg-test", dnsPort: 5353 };
const rulesScript = (state: NetworkState) => wholeScript(rulesOf(state), settings);
const pod = (namespace: string, address: string, labels = {}) => ({
  namespace,
  uid: address,
  address,
  labels,
  ports: [{ name: "web", protocol: "TCP", port: 8080 }],
});
const empty: NetworkState = {
  bridges: [],
  pods: [],
  guests: [],
  services: [],
  slices: [],
  policies: [],
  namespaces: new Map(),
};

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
  await expect(rulesScript(example)).toMatchFileSnapshot("snapshots/two-instances.nft");
});

test("a node without pods", async () => {
  await expect(rulesScript(empty)).toMatchFileSnapshot("snapshots/no-pods.nft");
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
        guests: state.guests.toReversed(),
        slices: state.slices.toReversed(),
        policies: state.policies.toReversed(),
      };
      expect(rulesScript(turned)).toBe(rulesScript(distinct));
    }),
  );
});

test("nothing that somebody wrote into an object gets into the script as it is", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(rulesScript(state)).toMatch(/^[\w\s{}.:;,@!="/*-]*$/);
      expect(rulesScript(state)).not.toMatch(/garbage|x y|icmp;|1\.2\.3\.4/i);
    }),
  );
});

test("no address and no key is listed twice: nft would refuse all of it", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      for (const [, list = ""] of rulesScript(state).matchAll(/^add element inet \S+ (?!names)\S+ \{ (.*) \}$/gm)) {
        const keys = list.split(", ").map((one) => one.split(" : ")[0]);
        expect(new Set(keys).size).toBe(keys.length);
      }
    }),
  );
});

test("a pod whose namespace has no bridge gets no rule, and a Service without endpoints leads nowhere", () => {
  const script = rulesScript({ ...example, bridges: example.bridges.slice(1), slices: [] });
  expect(script).not.toContain("10.202.1.");
  expect(script).not.toContain("dnat ip to");
  expect(rulesScript({ ...example, slices: [] })).not.toContain("dnat ip to");
});

test("a client stays with its pod where the Service asks for it", () => {
  const services = example.services.map((one) => ({ ...one, spec: { ...one.spec, sessionAffinity: "ClientIP" } }));
  expect(rulesScript({ ...example, services })).toContain("dnat ip to jhash ip saddr mod 2 map {");
});

test("what has not changed needs no change", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      expect(changesOf(rulesOf(state), rulesOf(structuredClone(state)), "berg-test")).toEqual([]);
    }),
  );
});

test("a pod that comes is added, and nothing is taken away for it: that would have the kernel wait", () => {
  const before = rulesOf({ ...example, policies: [], pods: example.pods.slice(1) });
  expect(changesOf(before, rulesOf({ ...example, policies: [] }), "berg-test")).toEqual([
    'add element inet berg-test members { "berg-aaaaaaaaaa" . 10.202.1.3 }',
    "add element inet berg-test selves { 10.202.1.3 . 10.202.1.3 }",
  ]);
});

test("a verdict that changes leads to its new chain before the old one goes", () => {
  const changes = changesOf(rulesOf(example), rulesOf({ ...example, pods: example.pods.slice(1) }), "berg-test");
  const place = (pattern: RegExp) => changes.findIndex((line) => pattern.test(line));
  const order = [
    /^add chain .* ingress-/,
    /^delete element .* receivers /,
    /^add element .* receivers /,
    /^delete chain/,
  ];
  expect(order.map(place)).toEqual(order.map(place).toSorted((a, b) => a - b));
  expect(order.map(place)).not.toContain(-1);
  // The one that stays as well: it leads elsewhere.
  expect(changes[place(/^delete element .* receivers /)]).toContain("10.202.1.2");
});

test("pods may ask for names only while somebody says again that they may", () => {
  expect(rulesScript(example).match(/^add element inet berg-test names .*$/m)?.[0]).toMatch(/\{ 5353 timeout 60s \}$/);
  expect(rulesScript(example)).not.toMatch(/dport 5353/);
});

const withGuest: NetworkState = { ...example, guests: [{ namespace: "alice", id: "1", address: "10.202.1.9" }] };

test("a guest comes without a change to anybody's policies", () => {
  expect(changesOf(rulesOf(example), rulesOf(withGuest), "berg-test")).toEqual([
    'add element inet berg-test members { "berg-aaaaaaaaaa" . 10.202.1.9 }',
    'add element inet berg-test guests { "berg-aaaaaaaaaa" . 10.202.1.9 }',
  ]);
});

test("a guest at the address of a pod that is about to be forgotten is a guest", () => {
  const guests = [{ namespace: "alice", id: "1", address: "10.202.1.3" }];
  const { elements } = rulesOf({ ...example, guests });
  expect([...elements.guests.keys()]).toEqual(['"berg-aaaaaaaaaa" . 10.202.1.3']);
  expect([...elements.members.keys()]).toContain('"berg-aaaaaaaaaa" . 10.202.1.3');
  for (const list of [elements.senders, elements.receivers, elements.selves])
    expect([...list.keys()].join()).not.toContain("10.202.1.3");
});

test("a guest whose namespace has no bridge gets no rule", () => {
  const { elements } = rulesOf({ ...withGuest, bridges: example.bridges.slice(1) });
  expect([...elements.guests, ...elements.members].join()).not.toContain("10.202.1.9");
});
