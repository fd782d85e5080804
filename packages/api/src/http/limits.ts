/**
 * What one client can take of this process: bytes, time and connections. Node ends what exceeds them, and
 * `answerUnreadable` says so as a problem document where the connection can still be written to.
 */
import type { Server } from "node:http";
import type { FastifyHttpOptions, FastifyInstance } from "fastify";
import { ProblemError } from "../problems.ts";

const seconds = 1000;
const longestUrl = 8 * 1024;
/** Of one request; browsers send about 20. */
const mostHeaders = 100;
/** Of all clients, WebSockets among them. Further ones are refused by closing them. */
const mostConnections = 20_000;

export const serverLimits = {
  bodyLimit: 64 * 1024,
  /** Until the whole request has arrived. */
  requestTimeout: 30 * seconds,
  keepAliveTimeout: 65 * seconds,
  /** Without a byte in either direction. WebSockets have a heartbeat of their own. */
  connectionTimeout: 75 * seconds,
  /** At the end of this process: idle connections at once, the others after their answer. */
  forceCloseConnections: "idle",
  /** Requests that arrive meanwhile are among the others: Fastify's own answer is no problem document. */
  return503OnClosing: false,
  http: {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 10 * seconds,
    connectionsCheckingInterval: 1 * seconds,
  },
} as const satisfies FastifyHttpOptions<Server>;

export function addConnectionLimits(app: FastifyInstance): void {
  app.server.maxHeadersCount = mostHeaders;
  app.server.maxConnections = mostConnections;
  app.addHook("onRequest", ({ url }, _, done) => {
    if (url.length <= longestUrl) done();
    else done(new ProblemError("url_too_long", `A URL may have up to ${longestUrl} characters.`));
  });
}
