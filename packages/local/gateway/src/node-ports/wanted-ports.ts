/** Which ports of this machine lead to which ports of Services. Pure. */
import { keyOf, type Stored } from "@berg/apimachinery";
import type { Service } from "@berg/kube";
import type { ServicePort } from "../routing/table.ts";

export interface NodePort {
  readonly target: ServicePort;
  readonly service: Stored<Service>;
}

export interface WantedPorts {
  readonly tcp: ReadonlyMap<number, NodePort>;
  readonly udp: ReadonlyMap<number, NodePort>;
}

export function wantedPorts(services: readonly Stored<Service>[]): WantedPorts {
  const [tcp, udp] = [new Map<number, NodePort>(), new Map<number, NodePort>()];
  for (const service of services) {
    const { type, ports = [] } = service.spec ?? {};
    if (type !== "NodePort" && type !== "LoadBalancer") continue;
    for (const { name = "", protocol = "TCP", nodePort } of ports) {
      if (!nodePort) continue;
      const found = { target: { service: keyOf(service), portName: name }, service };
      if (protocol === "TCP") tcp.set(nodePort, found);
      if (protocol === "UDP") udp.set(nodePort, found);
    }
  }
  return { tcp, udp };
}
