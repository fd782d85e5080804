/** EndpointSlices, as far as they are written here. */
import { defineResource, type KubeObject } from "@berg/apimachinery";

export interface EndpointSlice extends KubeObject {
  addressType: AddressType;
  endpoints: Endpoint[] | null;
  ports: EndpointPort[] | null;
}

export type AddressType = "IPv4" | "IPv6";

export interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef: { kind: "Pod"; namespace: string; name: string; uid: string };
}

export interface EndpointPort {
  name: string;
  protocol: string;
  port: number;
  appProtocol?: string;
}

export const EndpointSlices = defineResource<EndpointSlice>({
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
});

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";
export const managedBy = "endpointslice-controller.k8s.io";
