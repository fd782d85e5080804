/** Gateways, routes and what they name, as short as tests want them. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { Secret, Service } from "@berg/kube";
import type { Gateway, GatewayClass, HttpRoute, HttpRouteRule, Listener, Route } from "../kinds.ts";
import type { RoutingState } from "../routing/state.ts";
import { certificateOption, controllerName, issuedHere } from "../vocabulary.ts";

let made = 0;

function stored<T extends KubeObject>(kind: string, key: string, rest: Omit<T, keyof KubeObject>): Stored<T> {
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  const metadata = {
    name,
    ...(namespace && { namespace }),
    uid: `uid-${++made}`,
    resourceVersion: `${made}`,
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return { apiVersion: "v1", kind, metadata, ...rest } as unknown as Stored<T>;
}

/** Made so many seconds later than the others. */
export function later<T extends KubeObject>(seconds: number, object: Stored<T>): Stored<T> {
  const creationTimestamp = `2026-01-01T00:00:${String(seconds).padStart(2, "0")}Z`;
  return { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

export function gatewayClass(name = "local", spec: Partial<GatewayClass["spec"]> = {}): Stored<GatewayClass> {
  return stored("GatewayClass", name, { spec: { controllerName, ...spec } });
}

export const fromAll = { allowedRoutes: { namespaces: { from: "All" } } };
export const issued = { mode: "Terminate", options: { [certificateOption]: issuedHere } };

export function gateway(
  listeners: Listener[],
  { key = "infra/edge", ...spec }: Partial<Gateway["spec"]> & { key?: string } = {},
): Stored<Gateway> {
  return stored("Gateway", key, { spec: { gatewayClassName: "local", listeners, ...spec } });
}

export function httpRoute(
  key: string,
  hostnames: string[],
  rules: HttpRouteRule[] = [{ backendRefs: [{ name: "web", port: 80 }] }],
  parentRefs: Route["spec"]["parentRefs"] = [{ name: "edge", namespace: "infra" }],
): Stored<HttpRoute> {
  return stored("HTTPRoute", key, { spec: { parentRefs, hostnames, rules } });
}

export function tlsRoute(
  key: string,
  hostnames: string[],
  backendRefs = [{ name: "web", port: 80 }],
  parentRefs: Route["spec"]["parentRefs"] = [{ name: "edge", namespace: "infra" }],
): Stored<Route> {
  return stored("TLSRoute", key, { spec: { parentRefs, hostnames, rules: [{ backendRefs }] } });
}

export function service(key: string, spec: Service["spec"] = { ports: [{ port: 80 }] }): Stored<Service> {
  return stored("Service", key, { spec });
}

export function tlsSecret(key: string, { cert, key: privateKey }: { cert: string; key: string }): Stored<Secret> {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return stored("Secret", key, {
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(cert), "tls.key": base64(privateKey) },
  });
}

export interface Objects {
  classes?: Stored<GatewayClass>[];
  gateways?: Stored<Gateway>[];
  httpRoutes?: Stored<HttpRoute>[];
  tlsRoutes?: Stored<Route>[];
  services?: Stored<Service>[];
  secrets?: Stored<Secret>[];
  /** Services that no ready pod is behind, by key. */
  withoutEndpoints?: string[];
  namespaces?: Record<string, Record<string, string>>;
  issuesCertificates?: boolean;
  unavailablePorts?: [number, string][];
}

export function stateOf(objects: Objects): RoutingState {
  const find = <T extends KubeObject>(all: T[] | undefined, key: string) =>
    all?.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key);
  return {
    classes: objects.classes ?? [gatewayClass()],
    gateways: objects.gateways ?? [],
    httpRoutes: objects.httpRoutes ?? [],
    tlsRoutes: objects.tlsRoutes ?? [],
    service: (key) => find(objects.services, key),
    secret: (key) => find(objects.secrets, key),
    hasEndpoints: ({ service }) => !objects.withoutEndpoints?.includes(service),
    labelsOfNamespace: (name) => objects.namespaces?.[name],
    host: "127.0.0.1",
    issuesCertificates: objects.issuesCertificates ?? true,
    unavailablePorts: new Map(objects.unavailablePorts),
  };
}
