/** What becomes of a request, before a byte of it goes anywhere: on its way, or answered here. */
import { pageTexts } from "../vocabulary.ts";
import { destinationOf, type Surroundings } from "./destination.ts";
import type { Endpoint } from "./endpoints.ts";
import { headerOf, type RawHeaders, requestHeaders } from "./headers.ts";
import type { Limits } from "./limits.ts";
import { type Page, startingPage, textPage } from "./pages.ts";
import { requestTarget } from "./request-target.ts";

/** Where a client's connection came in. */
export interface Entrance {
  readonly port: number;
  readonly address: string;
  /** Settled by the server name, where the connection began with TLS. */
  readonly listenerId?: string;
}

export interface Onward {
  readonly endpoints: readonly Endpoint[];
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
}

/** As it was sent. */
export interface AskedFor {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: RawHeaders;
}

export function onwardOf(
  { method, url, rawHeaders }: AskedFor,
  entrance: Entrance,
  surroundings: Surroundings & { limits: Pick<Limits, "headers"> },
): Onward | Page {
  if (rawHeaders.length / 2 > surroundings.limits.headers) return textPage(431, pageTexts.tooManyHeaders);
  const asked = requestTarget(url, rawHeaders);
  if (!asked) return textPage(400, pageTexts.badRequest);
  const header = (name: string) => headerOf(rawHeaders, name);
  const request = { ...entrance, method, header, target: asked.target, hostname: asked.hostname };
  const destination = destinationOf(request, surroundings);
  if (destination.kind === "refused") return textPage(destination.status, destination.text);
  if (destination.kind === "starting") return startingPage(header("accept"));
  const origin = {
    address: entrance.address,
    proto: entrance.listenerId === undefined ? ("http" as const) : ("https" as const),
    host: asked.host,
  };
  const { endpoints } = destination;
  return { endpoints, method, path: asked.target, headers: requestHeaders(rawHeaders, origin) };
}
