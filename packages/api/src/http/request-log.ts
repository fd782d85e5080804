/**
 * One line of log and one count a request. Both name the template of the route and never the URL: flags, tokens and names
 * are in URLs and bodies, and logs are read by more people than the database.
 */
import type { Logger } from "@berg/kube";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiMetrics } from "../metrics.ts";

const handoutRoute = "/api/challenges/:name/handout/:index";
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export function addRequestLog(app: FastifyInstance, log: Logger, metrics: ApiMetrics | undefined): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { method } = request;
    const { statusCode: status, elapsedTime, problemCode } = reply;
    const route = routeOf(request);
    metrics?.requestDone({ method, route, status, seconds: elapsedTime / 1000 });
    if (method === "POST" && route === "/api/instances/current") metrics?.instanceStart(problemCode ?? "accepted");
    if (method === "GET" && route === handoutRoute) metrics?.handoutDownload(problemCode ?? "sent");
    const fields = {
      ...{ method, route, status, ms: Math.round(elapsedTime) },
      ...(problemCode !== undefined && { code: problemCode }),
      ...(request.player && { player: request.player.id }),
    };
    if (status >= 500 || (!safeMethods.has(method) && status < 400)) log.info(fields, "request");
    else log.debug(fields, "request");
    done();
  });
}

/** Files and routes of the pages count as one: their names change with each build. */
export function routeOf({ routeOptions: { url } }: FastifyRequest): string {
  if (url === undefined) return "none";
  return url.startsWith("/api/") ? url : "pages";
}
