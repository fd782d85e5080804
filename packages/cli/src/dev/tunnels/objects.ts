/**
 * What makes a tunnel of an instance: the pair of proxies on the network of its namespace, and for each tunnel a Service
 * by whose name containers find it. Pure.
 */
import type { Stored } from "@berg/apimachinery";
import type { Applied, EndpointSlice, Service } from "@berg/kube";
import {
  type ContainerNetwork,
  type ContainerNetworkTunnelProxy,
  labels,
  managedByBerg,
  type TunnelStatus,
} from "@berg/resources";
import type { WantedTunnel } from "./wanted.ts";

/** It goes with its network, and that with the instance. */
export function tunnelProxy(
  network: Stored<ContainerNetwork>,
  baseImage: string,
  tunnels: readonly WantedTunnel[],
): Applied<ContainerNetworkTunnelProxy> {
  const { apiVersion, kind, metadata } = network;
  return {
    metadata: {
      name: metadata.name,
      labels: { [labels.managedBy]: managedByBerg },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
    },
    spec: {
      containerNetworkName: metadata.name,
      baseImage,
      tunnels: tunnels.map(({ name, host, port }) => ({
        ...{ name, serverAddress: host, serverPort: port },
        ...{ clientProxyAddress: "0.0.0.0", clientProxyPort: 0, limits: { maxStreams: 1024 } },
      })),
    },
  };
}

/** Without a selector: its slice is written by hand. */
export function tunnelService(namespace: string, { name, port }: WantedTunnel): Applied<Service> {
  return {
    metadata: { name, namespace, labels: { [labels.managedBy]: managedByBerg } },
    spec: { ports: [{ port, protocol: "TCP" }] },
  };
}

export function tunnelSlice(
  namespace: string,
  { name }: WantedTunnel,
  { clientProxyAddresses = [], clientProxyPort = 0 }: TunnelStatus,
): Applied<EndpointSlice> {
  return {
    metadata: {
      name,
      namespace,
      labels: { "kubernetes.io/service-name": name, [labels.managedBy]: managedByBerg },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: clientProxyAddresses.filter((address) => !address.includes(":")).slice(0, 1) }],
    ports: [{ name: "", port: clientProxyPort, protocol: "TCP" }],
  };
}
