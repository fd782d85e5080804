/** EndpointSlices, as far as they are read here: whoever writes one may leave out what is optional. */
import { defineResource, type KubeObject } from "@berg/apimachinery";

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: { name?: string | null; protocol?: string | null; port?: number | null }[] | null;
}

export interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean | null; serving?: boolean | null; terminating?: boolean | null };
  hostname?: string | null;
}

export const EndpointSlices = defineResource<EndpointSlice>({
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
});

/** The Service that a slice is of. */
export const serviceNameLabel = "kubernetes.io/service-name";
