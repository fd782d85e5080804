/** Whatever a cluster may hold, and what no server would let in as well. */
import type { NetworkPolicy, Service } from "@berg/kube";
import fc from "fast-check";
import type { EndpointSlice } from "../kinds.ts";
import type { NetworkState } from "../state.ts";

const namespaces = ["alice", "bob", "carol"];
const anyNamespace = fc.constantFrom(...namespaces);
const anyOctet = fc.integer({ min: 0, max: 3 });
const anyAddress = fc.oneof(
  fc.tuple(anyOctet, fc.integer({ min: 2, max: 6 })).map(([third, last]) => `10.202.${third}.${last}`),
  fc.constantFrom("192.0.2.1", "10.96.0.10", "not an address", "::1", '1.2.3.4 }; drop "'),
);
const anyCidr = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 255 }), anyOctet, anyOctet, anyOctet, fc.integer({ min: 0, max: 32 }))
    .map(([a, b, c, d, bits]) => `${a}.${b}.${c}.${d}/${bits}`),
  fc.constantFrom("0.0.0.0/0", "::/0", "10.0.0.0/8", "garbage"),
);
const anyPort = fc.oneof(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom("web", "x y", 0, 70_000));
const anyProtocol = fc.constantFrom("TCP", "UDP", "SCTP", "ICMP; accept");
const anyLabels = fc.constantFrom({}, { app: "web" }, { app: "shell" });
const anySelector = fc.oneof(
  fc.constant({}),
  anyLabels.map((matchLabels) => ({ matchLabels })),
);

const anyPeer = fc.oneof(
  fc.record({ ipBlock: fc.record({ cidr: anyCidr, except: fc.array(anyCidr, { maxLength: 3 }) }) }),
  fc.record({ podSelector: anySelector }),
  fc.record({ namespaceSelector: anySelector, podSelector: anySelector }),
);
const anyPolicyPort = fc.record(
  { port: anyPort, protocol: anyProtocol, endPort: fc.integer({ min: 1, max: 65_535 }) },
  { requiredKeys: [] },
);
const anyRules = <K extends string>(key: K) =>
  fc.array(
    fc.record(
      { [key]: fc.array(anyPeer, { maxLength: 3 }), ports: fc.array(anyPolicyPort, { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  );

const anyPolicy = fc.record({
  metadata: fc.record({ namespace: anyNamespace, name: fc.constant("p") }),
  spec: fc.record({
    podSelector: anySelector,
    policyTypes: fc.subarray(["Ingress", "Egress"]),
    ingress: anyRules("from"),
    egress: anyRules("to"),
  }),
}) as unknown as fc.Arbitrary<NetworkPolicy>;

const anyService = fc.record({
  metadata: fc.record({ namespace: anyNamespace, name: fc.constantFrom("a", "b") }),
  spec: fc.record({
    clusterIP: fc.constantFrom("10.96.0.20", "10.96.0.21", "None", "", "fd00::1"),
    sessionAffinity: fc.constantFrom("None", "ClientIP"),
    ports: fc.array(
      fc.record({ name: fc.constantFrom("x", "y"), port: fc.constantFrom(80, 81, 70_000), protocol: anyProtocol }),
    ),
  }),
}) as unknown as fc.Arbitrary<Service>;

const anySlice = fc.record({
  metadata: fc.record({
    namespace: anyNamespace,
    name: fc.constant("s"),
    labels: fc.constantFrom("a", "b").map((name) => ({ "kubernetes.io/service-name": name })),
  }),
  addressType: fc.constantFrom("IPv4", "IPv4", "IPv6"),
  ports: fc.array(
    fc.record({ name: fc.constantFrom("x", "y"), port: fc.constantFrom(8080, 8081), protocol: anyProtocol }),
  ),
  endpoints: fc.array(fc.record({ addresses: fc.array(anyAddress, { minLength: 1, maxLength: 2 }) }), { maxLength: 4 }),
}) as unknown as fc.Arbitrary<EndpointSlice>;

export const anyState: fc.Arbitrary<NetworkState> = fc.record({
  bridges: fc.subarray(namespaces).map((all) => all.map((namespace) => ({ namespace, bridge: `berg-${namespace}` }))),
  pods: fc.array(
    fc.record({
      namespace: anyNamespace,
      uid: fc.uuid(),
      address: fc.tuple(anyOctet, fc.integer({ min: 2, max: 6 })).map(([third, last]) => `10.202.${third}.${last}`),
      labels: anyLabels as fc.Arbitrary<Record<string, string>>,
      ports: fc.constant([{ name: "web", protocol: "TCP", port: 8080 }]),
    }),
    { maxLength: 6 },
  ),
  guests: fc.array(
    fc.record({
      namespace: anyNamespace,
      id: fc.uuid(),
      address: fc.tuple(anyOctet, fc.integer({ min: 2, max: 6 })).map(([third, last]) => `10.202.${third}.${last}`),
    }),
    { maxLength: 2 },
  ),
  services: fc.array(anyService, { maxLength: 4 }),
  slices: fc.array(anySlice, { maxLength: 4 }),
  policies: fc.array(anyPolicy, { maxLength: 4 }),
  namespaces: fc.constant(new Map()),
});
