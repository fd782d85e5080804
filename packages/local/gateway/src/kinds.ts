/** The kinds that a gateway reads, as far as it reads them. The Gateway API is the specification. */
import { type Condition, defineResource, type KubeObject, type LabelSelector } from "@berg/apimachinery";

export const gatewayGroup = "gateway.networking.k8s.io";

export interface GatewayClass extends KubeObject {
  spec: { controllerName: string; parametersRef?: object };
  status?: { conditions?: Condition[] };
}

export interface Gateway extends KubeObject {
  spec: {
    gatewayClassName: string;
    listeners: Listener[];
    addresses?: { type?: string; value?: string }[];
    infrastructure?: { parametersRef?: object };
    tls?: object;
  };
  status?: GatewayStatus;
}

export interface GatewayStatus {
  addresses?: { type: string; value: string }[];
  conditions?: Condition[];
  listeners?: ListenerStatus[];
}

export interface Listener {
  name: string;
  hostname?: string;
  port: number;
  protocol: string;
  tls?: { mode?: string; certificateRefs?: ObjectReference[]; options?: Record<string, string> };
  allowedRoutes?: {
    namespaces?: { from?: string; selector?: LabelSelector };
    kinds?: RouteKind[];
  };
}

export interface RouteKind {
  group?: string;
  kind: string;
}

export interface ListenerStatus {
  name: string;
  supportedKinds: RouteKind[];
  attachedRoutes: number;
  conditions: Condition[];
}

export interface ObjectReference {
  group?: string;
  kind?: string;
  namespace?: string;
  name: string;
}

export interface BackendRef extends ObjectReference {
  port?: number;
  weight?: number;
  filters?: Filter[];
}

export interface Filter {
  type: string;
}

export interface ParentReference extends ObjectReference {
  sectionName?: string;
  port?: number;
}

export interface Route extends KubeObject {
  spec: { parentRefs?: ParentReference[]; hostnames?: string[]; rules?: { backendRefs?: BackendRef[] }[] };
  status?: { parents?: RouteParentStatus[] };
}

export interface RouteParentStatus {
  parentRef: ParentReference;
  controllerName: string;
  conditions?: Condition[];
}

export interface HttpRoute extends Route {
  spec: Omit<Route["spec"], "rules"> & { rules?: HttpRouteRule[] };
}

export interface HttpRouteRule {
  matches?: HttpRouteMatch[];
  filters?: Filter[];
  backendRefs?: BackendRef[];
  timeouts?: object;
  retry?: object;
  sessionPersistence?: object;
}

export interface HttpRouteMatch {
  path?: { type?: string; value?: string };
  method?: string;
  headers?: ValueMatch[];
  queryParams?: ValueMatch[];
}

export interface ValueMatch {
  type?: string;
  name: string;
  value: string;
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[] | null;
  ports?: { name?: string; protocol?: string; port?: number }[] | null;
}

export const EndpointSlices = defineResource<EndpointSlice>({
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
});

export const serviceNameLabel = "kubernetes.io/service-name";
