/** Everything that routing depends on, at one moment. */
import type { Stored } from "@berg/apimachinery";
import type { Secret, Service } from "@berg/kube";
import type { Gateway, GatewayClass, HttpRoute, Route } from "../kinds.ts";
import type { ServicePort } from "./table.ts";

export interface RoutingState {
  readonly classes: readonly Stored<GatewayClass>[];
  readonly gateways: readonly Stored<Gateway>[];
  readonly httpRoutes: readonly Stored<HttpRoute>[];
  readonly tlsRoutes: readonly Stored<Route>[];
  service(key: string): Service | undefined;
  secret(key: string): Secret | undefined;
  /** Whether the proxy knows a ready pod behind this port. */
  hasEndpoints(port: ServicePort): boolean;
  labelsOfNamespace(name: string): Record<string, string> | undefined;
  /** Where all ports are opened, and so the address of every Gateway. */
  readonly host: string;
  /** Whether certificates can be made for hostnames. */
  readonly issuesCertificates: boolean;
  /** Why a port that was asked for cannot be opened. */
  readonly unavailablePorts: ReadonlyMap<number, string>;
}

/** The oldest first, then by name: who comes first in every dispute. */
export function byAge(a: Stored<Gateway | Route>, b: Stored<Gateway | Route>): number {
  return compare(ageKey(a), ageKey(b));
}

function ageKey({ metadata }: Stored<Gateway | Route>): string {
  return `${metadata.creationTimestamp} ${metadata.namespace}/${metadata.name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
