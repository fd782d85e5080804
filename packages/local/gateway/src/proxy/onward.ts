/** What becomes of a request, before a byte of it goes anywhere: on its way, or answered here. */
import type { IncomingMessage } from "node:http";
import { pageTexts } from "../vocabulary.ts";
import { destinationOf, type Surroundings } from "./destination.ts";
import type { Endpoint } from "./endpoints.ts";
import { requestHeaders } from "./headers.ts";
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

export type AskedFor = Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "headers">;

export function onwardOf(
  { method = "GET", url = "", rawHeaders, headers }: AskedFor,
  entrance: Entrance,
  surroundings: Surroundings & { limits: Pick<Limits, "headers"> },
): Onward | Page {
  if (rawHeaders.length / 2 > surroundings.limits.headers) return textPage(431, pageTexts.tooManyHeaders);
  const asked = requestTarget(url, rawHeaders);
  if (!asked) return textPage(400, pageTexts.badRequest);
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : value?.join(", ");
  };
  const request = { ...entrance, method, header, target: asked.target, hostname: asked.hostname };
  const destination = destinationOf(request, surroundings);
  if (destination.kind === "refused") return textPage(destination.status, destination.text);
  if (destination.kind === "starting") return startingPage(headers.accept);
  const origin = {
    address: entrance.address,
    proto: entrance.listenerId === undefined ? ("http" as const) : ("https" as const),
    host: asked.host,
  };
  const { endpoints } = destination;
  return { endpoints, method, path: asked.target, headers: requestHeaders(rawHeaders, origin) };
}
