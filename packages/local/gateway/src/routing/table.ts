/**
 * Where requests go: by port, then hostname, then what the routes say. A table is made anew at every change and takes
 * the place of the old one as a whole, so that nobody ever sees half of a change.
 */
import type { HostnameIndex } from "../hostnames/hostname-index.ts";
import type { RequestMatch } from "./request-match.ts";

export interface RoutingTable {
  readonly ports: ReadonlyMap<number, PortTable>;
}

export const emptyTable: RoutingTable = { ports: new Map() };

export interface PortTable {
  /** Whether clients begin with TLS. One port cannot do both. */
  readonly secure: boolean;
  /** One for each hostname: the most particular gets the request, and only that. */
  readonly listeners: HostnameIndex<ServedListener>;
}

export type ServedListener = HttpListener | HttpsListener | TerminatingListener | PassthroughListener;

interface AnyListener {
  /** `namespace/gateway/listener` */
  readonly id: string;
  readonly hostname: string | undefined;
}

export interface HttpListener extends AnyListener {
  readonly kind: "http";
  readonly rules: HostnameIndex<HttpRule>;
}

export interface HttpsListener extends AnyListener {
  readonly kind: "https";
  readonly rules: HostnameIndex<HttpRule>;
  readonly certificate: Certificate;
}

/** TLS ends here, and the bytes go on in the clear. */
export interface TerminatingListener extends AnyListener {
  readonly kind: "terminate";
  readonly routes: HostnameIndex<Backends>;
  readonly certificate: Certificate;
}

/** TLS is the business of whoever stands behind. */
export interface PassthroughListener extends AnyListener {
  readonly kind: "passthrough";
  readonly routes: HostnameIndex<Backends>;
}

/** From a Secret, or made for each hostname by whoever started the gateway. */
export type Certificate = { readonly from: "secret"; readonly cert: string; readonly key: string } | { from: "issuer" };

export interface HttpRule {
  readonly match: RequestMatch;
  readonly backends: Backends;
}

/** One is drawn for each request or connection, by weight. */
export type Backends = readonly Backend[];

export interface Backend {
  readonly weight: number;
  /** Undefined where what the route names cannot be used: the share of requests that is meant for it fails. */
  readonly service: ServicePort | undefined;
}

/** Endpoints are looked up when they are needed: they change more often than routes do. */
export interface ServicePort {
  /** `namespace/name` */
  readonly service: string;
  /** Its name in the Service, by which EndpointSlices know it; `""` for the only one. */
  readonly portName: string;
}
