import type { NetworkPolicy } from "@berg/kube";
import { expect, test } from "vitest";
import { readPool } from "../pool.ts";
import { askerOf, podAddressTest, resolvConf } from "./pod-view.ts";

type Egress = NonNullable<NonNullable<NetworkPolicy["spec"]>["egress"]>;

const pods = [{ namespace: "alice", uid: "1", address: "10.202.1.2", labels: {}, ports: [] }];
const objects = { inNamespace: () => ({ services: [], slices: [] }), services: { get: () => undefined } };
const isPodAddress = podAddressTest(readPool("10.202.0.0/16").range);
function ask(egress?: Egress, address = "10.202.1.2") {
  const policy: NetworkPolicy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { namespace: "alice", name: "p" },
    spec: { podSelector: {}, policyTypes: ["Egress"], ...(egress && { egress }) },
  };
  const state = { pods, policies: egress ? [policy] : [], namespaces: new Map() };
  return askerOf(address, state, objects, isPodAddress)?.mayAskOutside;
}
const nameServer = {
  to: [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    },
  ],
  ports: [{ port: 53, protocol: "UDP" }],
};

test("resolv.conf is as kubelet writes it", () => {
  expect(resolvConf("alice")).toBe(
    "search alice.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n",
  );
});

test.each<[string, Egress | undefined, boolean | undefined]>([
  ["no policy: outside as well", undefined, true],
  ["nothing allowed: may not ask at all", [], undefined],
  ["pods alone: may not ask at all", [{ to: [{ podSelector: {} }] }], undefined],
  ["the name server: names of the cluster", [nameServer], false],
  ["the name server and pods: names of the cluster", [nameServer, { to: [{ podSelector: {} }] }], false],
  ["the name server and a range: outside as well", [nameServer, { to: [{ ipBlock: { cidr: "192.0.2.0/24" } }] }], true],
  ["everything: outside as well", [{}], true],
  ["a range without the name server: may not ask at all", [{ to: [{ ipBlock: { cidr: "192.0.2.0/24" } }] }], undefined],
])("%s", (_, egress, want) => expect(ask(egress)).toBe(want));

test("an address that is no pod's may not ask", () => {
  expect(ask(undefined, "10.202.1.3")).toBeUndefined();
});

test("addresses of pods are those of the pool", () => {
  expect(["10.202.255.1", "10.203.0.1", "x"].map(isPodAddress)).toEqual([true, false, false]);
});
