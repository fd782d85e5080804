import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Blueprint } from "../blueprint.ts";
import { asYaml, containerOf, ownerId } from "../testing/blueprints.ts";
import { ciliumNetworkPolicy } from "./cilium.ts";
import { kubernetesNetworkPolicy } from "./kubernetes.ts";
import { networkPolicies } from "./network-policies.ts";
import { anyNetworkBlueprint, cases, gatewayPods, longestDomain, networkBlueprint } from "./testing/cases.ts";
import {
  ciliumAllows,
  ciliumAllowsLookup,
  isInBlock,
  kubernetesAllows,
  type Peer,
  type Traffic,
} from "./testing/traffic.ts";

test.each(Object.entries(cases))("%s", async (name, blueprint) => {
  await expect(asYaml(networkPolicies(blueprint))).toMatchFileSnapshot(`../snapshots/network-policy-${name}.yaml`);
});

test.each([
  { policy: "cilium", want: ["CiliumNetworkPolicy"] },
  { policy: "kubernetes", want: ["NetworkPolicy"] },
  { policy: "both", want: ["CiliumNetworkPolicy", "NetworkPolicy"] },
  { policy: "none", want: [] },
] as const)("NETWORK_POLICY=$policy makes $want", ({ policy, want }) => {
  expect(networkPolicies(networkBlueprint({ policy })).map(({ type }) => type.kind)).toEqual(want);
});

const namespace = `challenge-${ownerId}`;
const pod = (inNamespace: string, labels = {}): Peer => ({
  is: "pod",
  address: "10.1.2.3",
  namespace: inNamespace,
  labels,
});
const sibling = pod(namespace);
const otherInstance = pod("challenge-0d5e2f7a-33c8-4c9e-9a53-6f1f7d1c0b42");
const nameServer = pod("kube-system", { "k8s-app": "kube-dns" });
const traefik = pod("traefik", { app: "traefik" });
const player: Peer = { is: "world", address: "203.0.113.7" };
const ownNode: Peer = { is: "host", address: "10.0.0.1" };
const otherNode: Peer = { is: "remote-node", address: "10.0.0.2" };
const ciliumGateway: Peer = { is: "ingress", address: "10.0.0.3" };

const [cilium, kubernetes] = [
  (blueprint: Blueprint, traffic: Traffic) => ciliumAllows(ciliumNetworkPolicy(blueprint).manifest, traffic),
  (blueprint: Blueprint, traffic: Traffic) => kubernetesAllows(kubernetesNetworkPolicy(blueprint).manifest, traffic),
];

// everyPortType: 8080 and 8443 are routed, 1337 is public over TCP and UDP, 9000 and 22 are internal.
describe.each([
  { kind: "Cilium's", allows: cilium },
  { kind: "Kubernetes'", allows: kubernetes },
])("under $kind policy", ({ kind, allows }) => {
  const from = (peer: Peer, port: number, blueprint = networkBlueprint({ peer: gatewayPods })) =>
    allows(blueprint, { direction: "ingress", peer, port });
  const to = (peer: Peer, port: number, blueprint = networkBlueprint({ peer: gatewayPods })) =>
    allows(blueprint, { direction: "egress", peer, port });
  const isCilium = kind === "Cilium's";

  test("containers of one instance reach each other at every port", () => {
    for (const port of [22, 8080, 31000]) {
      expect(from(sibling, port)).toBe(true);
      expect(to(sibling, port)).toBe(true);
    }
  });

  test("another instance reaches nothing that is not public anyway, and is never reached", () => {
    for (const port of [22, 9000, 8080, 8443, 31000]) expect(from(otherInstance, port)).toBe(false);
    for (const outbound of [false, true])
      for (const port of [22, 53, 80, 443, 1337, 8080])
        expect(to(otherInstance, port, networkBlueprint({ outbound }))).toBe(false);
  });

  test("the gateway reaches the routed ports, and no other", () => {
    expect([8080, 8443, 9000, 22].map((port) => from(traefik, port))).toEqual([true, true, false, false]);
    expect(from(pod("traefik", { app: "shell" }), 8080)).toBe(false);
    expect(from(pod("default", { app: "traefik" }), 8080)).toBe(false);
  });

  test.each([
    ["on the nodes", { from: "host" }, otherNode],
    ["in Cilium", { from: "ingress" }, ciliumGateway],
  ] as const)("a gateway %s reaches the routed ports, and no other", (_, peer, gateway) => {
    const blueprint = networkBlueprint({ peer });
    const reached = [8080, 8443, 9000, 22].map((port) => from(gateway, port, blueprint));
    expect(reached).toEqual([true, true, false, false]);
  });

  test("players reach public ports over their protocol, also by way of a node, and no other", () => {
    for (const peer of [player, ownNode, otherNode]) expect(from(peer, 1337)).toBe(true);
    const udp = { direction: "ingress", peer: player, port: 1337, protocol: "UDP" } as const;
    expect(allows(networkBlueprint({ peer: gatewayPods }), udp)).toBe(true);
    expect(allows(networkBlueprint({ peer: gatewayPods }), { ...udp, port: 8080 })).toBe(false);
    for (const peer of [player, otherNode]) expect([22, 9000].map((port) => from(peer, port))).toEqual([false, false]);
  });

  test("names are looked up over UDP and TCP, at the name server alone", () => {
    for (const outbound of [false, true])
      for (const protocol of ["UDP", "TCP"] as const) {
        const lookup = { direction: "egress", peer: nameServer, port: 53, protocol } as const;
        const blueprint = networkBlueprint({ outbound });
        expect(allows(blueprint, lookup)).toBe(true);
        expect(allows(blueprint, { ...lookup, port: 9153 })).toBe(false);
        expect(allows(blueprint, { ...lookup, peer: pod("kube-system", { "k8s-app": "metrics-server" }) })).toBe(false);
        expect(allows(blueprint, { ...lookup, peer: pod("default", { "k8s-app": "kube-dns" }) })).toBe(false);
      }
  });

  test("the gateway is reached at its ports, the API server is not", () => {
    expect([80, 443, 9000].map((port) => to(traefik, port))).toEqual([true, true, false]);
    for (const outbound of [false, true]) {
      const blueprint = networkBlueprint({ outbound });
      expect(to(otherNode, 6443, blueprint)).toBe(false);
      expect([80, 443].map((port) => to(otherNode, port, blueprint))).toEqual([isCilium, isCilium]);
      expect(to(ciliumGateway, 443, blueprint)).toBe(isCilium);
    }
  });

  const publicAddresses = ["1.1.1.1", "172.15.255.255", "172.32.0.1", "192.167.0.1", "2606:4700::1111"];
  const privateAddresses = [
    "169.254.169.254",
    ...["172.16.0.1", "172.16.16.0", "172.20.0.1", "172.31.255.255"],
    ...["10.0.0.1", "10.255.255.255", "192.168.255.1", "100.64.0.1", "127.0.0.1"],
    ...["fd00:ec2::254", "fe80::1", "::1"],
  ];
  const world = (address: string): Peer => ({ is: "world", address });

  test.each(privateAddresses)("%s is never reached", (address) => {
    for (const outbound of [false, true])
      for (const port of [53, 80, 443]) expect(to(world(address), port, networkBlueprint({ outbound }))).toBe(false);
  });

  test.each(publicAddresses)("%s is reached with outbound traffic, and only then", (address) => {
    expect(to(world(address), 443, networkBlueprint({ outbound: true }))).toBe(true);
    for (const port of [53, 80, 443]) expect(to(world(address), port)).toBe(false);
  });

  test("with outbound traffic every address is reached but the denied ones", () => {
    const addresses = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(...publicAddresses, ...privateAddresses));
    fc.assert(
      fc.property(anyNetworkBlueprint, addresses, (blueprint, address) => {
        const { denyCidrs } = blueprint.settings.network;
        const isDenied = denyCidrs.some((cidr) => isInBlock({ cidr }, address));
        const reached = to(world(address), 31000, blueprint);
        expect(reached).toBe(blueprint.workload.allowOutboundTraffic && !isDenied);
      }),
      { numRuns: 50 },
    );
  });
});

describe("names, with outbound traffic off", () => {
  const lookUp = (name: string, wishes = {}) =>
    ciliumAllowsLookup(ciliumNetworkPolicy(networkBlueprint(wishes)).manifest, name);
  const ownNames = [
    `web.${namespace}.svc.cluster.local.`,
    "challenges.example.com.",
    "0c1d2e3f.challenges.example.com.",
    // What resolvers try first, and must not be stopped by.
    `0c1d2e3f.challenges.example.com.${namespace}.svc.cluster.local.`,
    "0c1d2e3f.challenges.example.com.svc.cluster.local.",
    "0c1d2e3f.challenges.example.com.cluster.local.",
  ];
  const otherNames = [
    "example.com.",
    "flag.attacker.example.",
    "web.challenge-0d5e2f7a-33c8-4c9e-9a53-6f1f7d1c0b42.svc.cluster.local.",
    "kubernetes.default.svc.cluster.local.",
    "notchallenges.example.com.",
    "a.b.challenges.example.com.",
    "challenges.example.com.attacker.example.",
    "challengesxexample.com.",
  ];

  test.each(ownNames)("%s can be looked up", (name) => {
    expect(lookUp(name)).toBe(true);
  });

  test.each(otherNames)("%s cannot", (name) => {
    expect(lookUp(name)).toBe(false);
    expect(lookUp(name, { outbound: true })).toBe(true);
  });

  test("no pattern is longer than Cilium takes, and the domain is there however long it is", () => {
    const domain = longestDomain;
    expect(lookUp(`0c1d2e3f.${domain}.`, { domain })).toBe(true);
    const text = JSON.stringify(ciliumNetworkPolicy(networkBlueprint({ domain })).manifest);
    for (const [, pattern = ""] of text.matchAll(/"match(?:Name|Pattern)":"([^"]*)"/g))
      expect(pattern.length).toBeLessThanOrEqual(255);
  });
});

test("ports beyond what Cilium takes in one list go into more lists", () => {
  const ports = Array.from({ length: 32 }, (_, i) => ({ port: 1000 + i, type: "publicPort" as const }));
  const more = ports.map(({ port, type }) => ({ port: port + 100, type }));
  const blueprint = networkBlueprint({
    containers: [containerOf("a", ports), containerOf("b", [...more, { port: 80 }])],
  });
  const toPorts = ciliumNetworkPolicy(blueprint).manifest.spec.ingress.at(-1)?.toPorts ?? [];
  expect(toPorts.map(({ ports }) => ports.length)).toEqual([40, 24]);
  for (const port of [1000, 1031, 1100, 1131])
    expect(cilium(blueprint, { direction: "ingress", peer: player, port })).toBe(true);
});

test("one port of two containers, or in two spellings, is one port", () => {
  const port = { port: 1337, type: "publicPort" } as const;
  const containers = [containerOf("a", [port, { ...port, protocol: "TCP" }]), containerOf("b", [port])];
  const { ingress } = ciliumNetworkPolicy(networkBlueprint({ containers })).manifest.spec;
  expect(ingress.at(-1)?.toPorts).toEqual([{ ports: [{ port: "1337", protocol: "TCP" }] }]);
});

test("an HTTP and a TLS listener on one port are one port", () => {
  const blueprint = networkBlueprint();
  const gateway = { ...blueprint.settings.gateway, httpPort: 443 };
  const { egress } = ciliumNetworkPolicy({ ...blueprint, settings: { ...blueprint.settings, gateway } }).manifest.spec;
  expect(egress[2]?.toPorts).toEqual([{ ports: [{ port: "443", protocol: "TCP" }] }]);
});
