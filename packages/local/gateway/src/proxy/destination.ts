/** Where one request goes, by the table of this moment, or what it is answered right away. */
import type { Random } from "@berg/kube";
import { type AskedRequest, requestMatches } from "../routing/request-match.ts";
import type { HttpRule, RoutingTable, ServedListener } from "../routing/table.ts";
import { pageTexts } from "../vocabulary.ts";
import { drawBackend, type Endpoint, type EndpointsOf } from "./endpoints.ts";

export interface HostedRequest extends AskedRequest {
  /** In lower case and without the port; `""` where none was named. */
  readonly hostname: string;
  /** Where it came in, and by which listener, where that was settled with TLS. */
  readonly port: number;
  readonly listenerId?: string;
}

export type Destination =
  | { readonly kind: "endpoints"; readonly endpoints: readonly Endpoint[] }
  /** It will be there in a moment, as far as one can tell. */
  | { readonly kind: "starting" }
  | { readonly kind: "refused"; readonly status: number; readonly text: string };

export interface Surroundings {
  table(): RoutingTable;
  endpointsOf: EndpointsOf;
  random: Random;
}

export function destinationOf(request: HostedRequest, { table, endpointsOf, random }: Surroundings): Destination {
  const listener = table().ports.get(request.port)?.listeners.first(request.hostname);
  if (!listener || !("rules" in listener)) return refused(404, pageTexts.unknownHost);
  if (request.listenerId !== undefined && listener.id !== request.listenerId) {
    // The certificate that the client was shown is not this host's.
    return refused(421, pageTexts.misdirected);
  }
  const found = ruleFor(request, listener);
  if (typeof found === "string") return refused(404, found);
  const service = drawBackend(found.backends, random)?.service;
  if (!service) return refused(500, pageTexts.brokenRoute);
  const endpoints = endpointsOf(service);
  return endpoints.length === 0 ? { kind: "starting" } : { kind: "endpoints", endpoints };
}

function ruleFor(request: HostedRequest, { rules }: Extract<ServedListener, { rules: object }>): HttpRule | string {
  let isKnown = false;
  for (const list of rules.lookUp(request.hostname)) {
    isKnown = true;
    const found = list.find(({ match }) => requestMatches(match, request));
    if (found) return found;
  }
  return isKnown ? pageTexts.noRule : pageTexts.unknownHost;
}

function refused(status: number, text: string): Destination {
  return { kind: "refused", status, text };
}
