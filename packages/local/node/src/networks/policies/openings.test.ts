import type { NetworkPolicy } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { dnsAddress, type NetworkPod } from "../state.ts";
import { type Direction, doAllow, openingsOf, type PolicyState } from "./openings.ts";

type Spec = NonNullable<NetworkPolicy["spec"]>;

const pod = (address: string, labels: Record<string, string> = {}, namespace = "alice"): NetworkPod => ({
  namespace,
  uid: address,
  address,
  labels,
  ports: [
    { name: "web", protocol: "TCP", port: 8080 },
    { name: "dns", protocol: "UDP", port: 5300 },
  ],
});
const shell = pod("10.202.1.2", { app: "shell" });
const web = pod("10.202.1.3", { app: "web" });
const other = pod("10.202.2.2", { app: "web" }, "bob");

const policy = (spec: Spec, namespace = "alice", name = "p"): NetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { namespace, name },
  spec,
});
const stateOf = (...policies: NetworkPolicy[]): PolicyState => ({
  pods: [shell, web, other],
  policies,
  namespaces: new Map([
    ["alice", { team: "red" }],
    ["bob", { team: "blue" }],
  ]),
});

/** As of one policy for all pods of alice. */
function allows(direction: Direction, rules: object[], to: string, port = 80, protocol = "TCP", of = shell) {
  const types = { ingress: "Ingress", egress: "Egress" };
  const spec: Spec = { podSelector: {}, policyTypes: [types[direction]], [direction]: rules };
  return doAllow(openingsOf(of, direction, stateOf(policy(spec))) ?? [], to, protocol, port);
}
const egress = (rules: object[], to: string, port?: number, protocol?: string) =>
  allows("egress", rules, to, port, protocol);

describe("which policies count", () => {
  test.each<[string, NetworkPolicy[], Direction, boolean]>([
    ["none", [], "egress", false],
    ["one of another namespace", [policy({ podSelector: {}, policyTypes: ["Egress"] }, "bob")], "egress", false],
    [
      "one for other pods",
      [policy({ podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Egress"] })],
      "egress",
      false,
    ],
    ["one for all pods", [policy({ podSelector: {}, policyTypes: ["Egress"] })], "egress", true],
    ["one of the other direction", [policy({ podSelector: {}, policyTypes: ["Ingress"] })], "egress", false],
    ["one without types is for ingress", [policy({ podSelector: {} })], "ingress", true],
    ["one without types nor egress rules is not for egress", [policy({ podSelector: {} })], "egress", false],
    [
      "one without types but with egress rules is for egress",
      [policy({ podSelector: {}, egress: [] })],
      "egress",
      true,
    ],
  ])("%s", (_, policies, direction, want) => {
    expect(openingsOf(shell, direction, stateOf(...policies)) !== undefined).toBe(want);
  });

  test("several add up", () => {
    const to = (cidr: string) =>
      policy({ podSelector: {}, policyTypes: ["Egress"], egress: [{ to: [{ ipBlock: { cidr } }] }] });
    const openings = openingsOf(shell, "egress", stateOf(to("192.0.2.0/25"), to("192.0.2.128/25"))) ?? [];
    expect(["192.0.2.1", "192.0.2.200", "192.0.3.1"].map((address) => doAllow(openings, address, "TCP", 1))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("peers", () => {
  test("a rule without peers is for everybody, no rule for nobody", () => {
    expect(egress([{}], "192.0.2.1")).toBe(true);
    expect(egress([{ to: [] }], "192.0.2.1")).toBe(true);
    expect(egress([], "192.0.2.1")).toBe(false);
  });

  test("pods by their labels, in the policy's own namespace", () => {
    const rules = [{ to: [{ podSelector: { matchLabels: { app: "web" } } }] }];
    expect(egress(rules, web.address)).toBe(true);
    expect(egress(rules, shell.address)).toBe(false);
    expect(egress(rules, other.address)).toBe(false);
    expect(egress(rules, "192.0.2.1")).toBe(false);
  });

  test("pods by their namespace, of which another's cannot be reached anyway", () => {
    const rules = (team: string) => [{ to: [{ namespaceSelector: { matchLabels: { team } } }] }];
    expect(egress(rules("red"), web.address)).toBe(true);
    expect(egress(rules("blue"), web.address)).toBe(false);
    expect(egress(rules("blue"), other.address)).toBe(false);
  });

  test("a namespace's own name is always a label of it", () => {
    const rules = [{ to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "alice" } } }] }];
    expect(egress(rules, web.address)).toBe(true);
  });

  test("both selectors must hold", () => {
    const peer = (team: string, app: string) => ({
      namespaceSelector: { matchLabels: { team } },
      podSelector: { matchLabels: { app } },
    });
    expect(egress([{ to: [peer("red", "web")] }], web.address)).toBe(true);
    expect(egress([{ to: [peer("red", "shell")] }], web.address)).toBe(false);
    expect(egress([{ to: [peer("blue", "web")] }], web.address)).toBe(false);
  });

  test("a range, without its exceptions", () => {
    const rules = [{ to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "192.168.0.0/16"] } }] }];
    expect(egress(rules, "192.0.2.1")).toBe(true);
    expect(egress(rules, "10.9.9.9")).toBe(false);
    expect(egress(rules, web.address)).toBe(false);
  });

  test("IPv6 ranges and what cannot be read open nothing", () => {
    expect(egress([{ to: [{ ipBlock: { cidr: "::/0" } }] }], "192.0.2.1")).toBe(false);
    expect(egress([{ to: [{ ipBlock: { cidr: "all" } }] }], "192.0.2.1")).toBe(false);
    const unreadable = { podSelector: { matchExpressions: [{ key: "app", operator: "Like" }] } };
    expect(egress([{ to: [unreadable] }], web.address)).toBe(false);
  });

  test("the name server is the pod that a cluster has for it", () => {
    const peer = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    };
    expect(egress([{ to: [peer], ports: [{ port: 53, protocol: "UDP" }] }], dnsAddress, 53, "UDP")).toBe(true);
    expect(egress([{ to: [peer], ports: [{ port: "dns", protocol: "UDP" }] }], dnsAddress, 53, "UDP")).toBe(true);
    expect(egress([{ to: [peer], ports: [{ port: 53, protocol: "UDP" }] }], dnsAddress, 53, "TCP")).toBe(false);
    expect(egress([{ to: [{ podSelector: {} }] }], dnsAddress, 53, "UDP")).toBe(false);
  });
});

describe("ports", () => {
  test.each([
    [[{ port: 80 }], 80, "TCP", true],
    [[{ port: 80 }], 81, "TCP", false],
    [[{ port: 80 }], 80, "UDP", false],
    [[{ port: 80, endPort: 90 }], 90, "TCP", true],
    [[{ port: 80, endPort: 90 }], 91, "TCP", false],
    [[{ protocol: "UDP" }], 5, "UDP", true],
    [[{ protocol: "UDP" }], 5, "TCP", false],
    [[{ port: 1 }, { port: 2 }], 2, "TCP", true],
    [[], 80, "SCTP", true],
  ])("%j: %d %s → %s", (ports, port, protocol, want) => {
    expect(egress([{ ports }], "192.0.2.1", port, protocol)).toBe(want);
    expect(allows("ingress", [{ ports }], "192.0.2.1", port, protocol)).toBe(want);
  });

  test("a name is what the receiving pod means by it", () => {
    const ports = [{ port: "web" }];
    expect(allows("ingress", [{ ports }], "192.0.2.1", 8080)).toBe(true);
    expect(allows("ingress", [{ ports }], "192.0.2.1", 80)).toBe(false);
    expect(egress([{ to: [{ podSelector: {} }], ports }], web.address, 8080)).toBe(true);
    expect(egress([{ ports }], web.address, 8080)).toBe(true);
    expect(egress([{ ports }], "192.0.2.1", 8080)).toBe(false);
    expect(egress([{ ports: [{ port: "dns" }] }], web.address, 5300)).toBe(false);
    expect(egress([{ ports: [{ port: "dns", protocol: "UDP" }] }], web.address, 5300, "UDP")).toBe(true);
  });
});
