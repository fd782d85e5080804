/** Where a Service's traffic may go: which pods, on which of their ports, in which state. */
import type { Stored } from "@berg/apimachinery";
import type { Pod, Service } from "@berg/kube";
import { hasEnded, isReady } from "../replica-sets/pods.ts";
import type { AddressType, Endpoint, EndpointPort } from "./endpoint-slice.ts";

/** Endpoints that have the same ports, and so may stand in one slice. */
export interface Group {
  addressType: AddressType;
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

export function addressTypesOf({ spec }: Service): AddressType[] {
  const families = spec?.ipFamilies as AddressType[] | undefined;
  if (families?.length) return families;
  return [spec?.clusterIP?.includes(":") ? "IPv6" : "IPv4"];
}

export function groupsOf(
  service: Stored<Service>,
  pods: readonly Stored<Pod>[],
  zoneOf: (node: string) => string | undefined,
): Group[] {
  const groups = new Map<string, Group>();
  for (const addressType of addressTypesOf(service)) {
    for (const pod of pods) {
      const addresses = addressesOf(pod, addressType);
      if (hasEnded(pod) || addresses.length === 0) continue;
      const ports = portsOf(service, pod);
      const key = JSON.stringify([addressType, ports]);
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpointOf(service, pod, addresses, zoneOf));
    }
  }
  return [...groups.values()];
}

function endpointOf(
  service: Stored<Service>,
  pod: Stored<Pod>,
  addresses: string[],
  zoneOf: (node: string) => string | undefined,
): Endpoint {
  const { namespace = "", name, uid } = pod.metadata;
  const { nodeName, hostname, subdomain } = pod.spec ?? {};
  const serving = isReady(pod);
  const terminating = Boolean(pod.metadata.deletionTimestamp);
  const ready = service.spec?.publishNotReadyAddresses || (serving && !terminating);
  const zone = nodeName && zoneOf(nodeName);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname && subdomain === service.metadata.name && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(zone && { zone }),
  };
}

function addressesOf({ status }: Pod, addressType: AddressType): string[] {
  const all = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP];
  return all.filter((ip): ip is string => Boolean(ip) && ip?.includes(":") === (addressType === "IPv6"));
}

/** A port that the pod does not have by the name that the Service gives is left out. */
function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap(({ name = "", protocol = "TCP", port, targetPort = port, appProtocol }) => {
    const number = typeof targetPort === "number" ? targetPort : portNamed(pod, targetPort, protocol);
    return number === undefined ? [] : [{ name, protocol, port: number, ...(appProtocol && { appProtocol }) }];
  });
}

function portNamed({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec?.initContainers ?? []).filter(
    (container) => (container as { restartPolicy?: string }).restartPolicy === "Always",
  );
  const ports = [...(spec?.containers ?? []), ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.find((port) => port.name === name && (port.protocol ?? "TCP") === protocol)?.containerPort;
}
