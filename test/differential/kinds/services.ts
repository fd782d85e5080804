/** Services: what they get by default and by lot, and what may be changed. */
import fc from "fast-check";
import { few, type Kind, keyed, metadata, number, rarely, some, word, wordMap } from "./kind.ts";

const protocol = fc.constantFrom("TCP", "UDP");

export const services: Kind = {
  resource: "services",
  apiVersion: "v1",
  kind: "Service",
  namespaced: true,
  base: { spec: { ports: [{ port: 1 }] } },
  body: some({
    metadata,
    spec: rarely({
      type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      selector: wordMap,
      ports: keyed(
        ["port", "protocol"],
        { port: number, protocol, name: word, targetPort: fc.constantFrom(80, "web"), appProtocol: word },
        ["name"],
      ),
      clusterIP: fc.constantFrom("None", "", "10.96.0.1", "1.2.3.4"),
      clusterIPs: fc.constantFrom(["None"], []),
      externalName: fc.constantFrom("x.io", "", "_"),
      externalIPs: fc.constantFrom([], ["1.2.3.4"], ["127.0.0.1"]),
      sessionAffinity: fc.constantFrom("None", "ClientIP"),
      sessionAffinityConfig: fc.constantFrom({ clientIP: { timeoutSeconds: 5 } }),
      internalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
      externalTrafficPolicy: fc.constantFrom("Cluster", "Local"),
      trafficDistribution: fc.constantFrom("PreferClose", "Odd"),
      publishNotReadyAddresses: fc.boolean(),
      ipFamilyPolicy: fc.constantFrom("SingleStack", "PreferDualStack", "RequireDualStack"),
      ipFamilies: fc.constantFrom(["IPv4"], ["IPv6"], ["IPv4", "IPv6"]),
      loadBalancerClass: fc.constantFrom("x.io/lb"),
      loadBalancerIP: fc.constantFrom("1.2.3.4"),
      loadBalancerSourceRanges: fc.constantFrom(["1.2.3.0/24"], ["odd"]),
      allocateLoadBalancerNodePorts: fc.boolean(),
    }),
  }),
  status: rarely({
    loadBalancer: fc.constantFrom(
      {},
      { ingress: [{ ip: "1.2.3.4" }] },
      { ingress: [{ hostname: "x.io", ports: [{ port: 1, protocol: "TCP" }] }] },
    ),
    conditions: fc.uniqueArray(word, few).map((kinds) =>
      kinds.map((type) => ({
        type,
        status: "True",
        reason: "R",
        message: "",
        lastTransitionTime: "2020-01-01T00:00:00Z",
      })),
    ),
  }),
};
