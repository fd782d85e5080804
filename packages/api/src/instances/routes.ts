import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { requirePlayer, requireRole } from "../sessions/authenticate.ts";
import { instance, problem, startRequest } from "../wire.ts";
import { allInstances, currentInstance, renewInstance, startInstance, stopInstance } from "./commands.ts";
import { presentEnded } from "./present.ts";
import { endedRows } from "./store.ts";

export function addInstanceRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const schema = { tags: ["instances"], response: { 200: instance, 400: problem, 401: problem, 409: problem } };
  const path = "/api/instances/current";
  const listed = { tags: schema.tags, response: { 200: z.array(instance), 401: problem, 403: problem } };
  const limited = (request: FastifyRequest) => limits.take("start", requirePlayer(request).id);

  routes.get("/api/instances", { schema: { ...listed, summary: "All instances that run; for admins" } }, (request) => {
    requireRole(request, "admin");
    return allInstances(context);
  });
  routes.get(
    "/api/instances/historic",
    { schema: { ...listed, summary: "Instances that have ended: the player's own, or all of them for admins" } },
    async (request) => {
      const { id, roles } = requirePlayer(request);
      return (await endedRows(context.db, roles.includes("admin") ? undefined : id)).map(presentEnded);
    },
  );
  routes.get(path, { schema: { ...schema, summary: "The player's instance; an empty name means none" } }, (request) =>
    currentInstance(context, requirePlayer(request).id),
  );
  routes.post(
    path,
    { schema: { ...schema, summary: "Start an instance, or return the one that runs", body: startRequest } },
    (request) => {
      limited(request);
      return startInstance(context, { playerId: requirePlayer(request).id, ...request.body });
    },
  );
  routes.delete(path, { schema: { ...schema, summary: "Stop the instance" } }, (request) =>
    stopInstance(context, requirePlayer(request).id),
  );
  routes.post(`${path}/renew`, { schema: { ...schema, summary: "Give the instance more time" } }, (request) => {
    limited(request);
    return renewInstance(context, requirePlayer(request).id, AbortSignal.timeout(10_000));
  });
}
