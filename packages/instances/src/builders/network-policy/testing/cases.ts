/** Blueprints for every way to be on the network: kept as snapshots, put to Cilium's own check and to a real server. */
import { portTypes } from "@berg/resources";
import fc from "fast-check";
import { readSettings } from "../../../settings/read-settings.ts";
import type { BuildSettings, GatewayPeer } from "../../../settings/settings.ts";
import type { Blueprint } from "../../blueprint.ts";
import { blueprintOf, containerOf, everyPortType } from "../../testing/blueprints.ts";

interface Wishes {
  containers?: Blueprint["workload"]["containers"];
  outbound?: boolean;
  peer?: GatewayPeer;
  policy?: BuildSettings["network"]["policy"];
  denyCidrs?: string[];
  domain?: string;
}

/** With the settings that an organiser has who sets nothing else. */
export function networkBlueprint(wishes: Wishes = {}): Blueprint {
  const defaults = readSettings({}).build;
  const { containers = everyPortType(), outbound = false, peer = defaults.gateway.peer } = wishes;
  const { policy = "both", denyCidrs = defaults.network.denyCidrs, domain = defaults.domain } = wishes;
  const settings = { domain, gateway: { ...defaults.gateway, peer }, network: { policy, denyCidrs } };
  const blueprint = blueprintOf({ containers, settings });
  return { ...blueprint, workload: { ...blueprint.workload, allowOutboundTraffic: outbound } };
}

export const gatewayPods: GatewayPeer = { from: "pods", namespace: "traefik", matchLabels: { app: "traefik" } };

export const cases: Record<string, Blueprint> = {
  "internal-ports-only": networkBlueprint({ containers: [containerOf("web", [{ port: 80 }])] }),
  "every-port-type": networkBlueprint(),
  outbound: networkBlueprint({ outbound: true }),
  "gateway-on-nodes": networkBlueprint({ peer: { from: "host" } }),
  "gateway-in-pods": networkBlueprint({ peer: gatewayPods }),
  "nothing-denied": networkBlueprint({ outbound: true, denyCidrs: [] }),
};

const word = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);

const peers: fc.Arbitrary<GatewayPeer> = fc.oneof(
  fc.constant<GatewayPeer>({ from: "ingress" }),
  fc.constant<GatewayPeer>({ from: "host" }),
  fc.record({
    from: fc.constant("pods" as const),
    namespace: word,
    matchLabels: fc.dictionary(fc.constantFrom("app", "app.kubernetes.io/name", "tier"), word, { minKeys: 1 }),
  }),
);

const ports = fc.uniqueArray(
  fc.record({
    port: fc.integer({ min: 1, max: 65535 }),
    protocol: fc.constantFrom("tcp", "udp", "TCP", "Udp"),
    type: fc.constantFrom(...portTypes),
  }),
  { maxLength: 32, selector: ({ port, protocol }) => `${port}/${protocol}` },
);

/** The longest that CHALLENGE_DOMAIN may be. */
export const longestDomain = ["a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(24)].join(".");

const someCidrs = ["10.0.0.0/8", "192.0.2.1/32", "128.0.0.0/1", "fc00::/7", "2001:db8::1/128", "8000::/1"];

/** Up to the most that the Challenge's schema and the settings allow. */
export const anyNetworkBlueprint: fc.Arbitrary<Blueprint> = fc
  .record({
    containers: fc.array(ports, { maxLength: 32 }).map((all) => all.map((list, i) => containerOf(`c${i}`, list))),
    outbound: fc.boolean(),
    peer: peers,
    denyCidrs: fc.subarray(someCidrs),
    domain: fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(".")),
      fc.constant(longestDomain),
    ),
  })
  .map(networkBlueprint);
