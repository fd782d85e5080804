/** ContainerNetworks and networks of an engine, as tests need them. */
import type { Stored } from "@berg/apimachinery";
import type { Labels, Network } from "@berg/local-engine";
import type { ContainerNetwork, ContainerNetworkSpec, ContainerNetworkStatus } from "@berg/resources";

export interface ObjectOptions extends Partial<ContainerNetworkSpec> {
  status?: ContainerNetworkStatus;
  labels?: Labels;
  isDeleted?: boolean;
  name?: string;
  uid?: string;
}

export function makeObject(options: ObjectOptions = {}): Stored<ContainerNetwork> {
  const { status, labels = {}, isDeleted = false, name = "net", uid = "uid-1", ...spec } = options;
  return {
    apiVersion: "berg.norelect.ch/v1",
    kind: "ContainerNetwork",
    metadata: {
      name,
      uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1,
      labels,
      ...(isDeleted && { deletionTimestamp: "2026-01-01T00:00:01Z" }),
    },
    spec: { mode: "session", ipv6: false, ...spec },
    ...(status && { status }),
  };
}

export function makeNetwork(name: string, labels: Labels = {}, more: Partial<Network> = {}): Network {
  return {
    id: `id-${name}`,
    name,
    labels,
    driver: "bridge",
    subnet: "10.89.0.0/24",
    gateway: "10.89.0.1",
    subnets: ["10.89.0.0/24"],
    gateways: ["10.89.0.1"],
    internal: false,
    ipv6: false,
    bridge: "podman1",
    ...more,
  };
}
