import { makeKey } from "@berg/apimachinery";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import { sendJson } from "../http/json-text.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer, requireRole } from "../sessions/authenticate.ts";
import {
  adminInstance,
  adminInstances,
  adminInstancesQuery,
  extendRequest,
  instance,
  instanceEvents,
  instanceLogs,
  problem,
  startRequest,
  timeline,
} from "../wire.ts";
import {
  allInstances,
  currentInstance,
  renewInstance,
  requireCurrentRow,
  restartInstance,
  startInstance,
  stopInstance,
} from "./commands.ts";
import { eventsOf, logsOf, timelineOfRow } from "./inspect.ts";
import { extendById, listInstances, requireRow, stopById } from "./organise.ts";
import { presentEnded } from "./present.ts";
import { endedRows } from "./store.ts";

const tags = ["instances"];
const refused = { 400: problem, 401: problem, 403: problem };
const deadline = () => AbortSignal.timeout(10_000);

/** Of the player who asks. */
export function addInstanceRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const schema = { tags, response: { 200: instance, ...refused, 409: problem } };
  const path = "/api/instances/current";
  const limited = async (request: FastifyRequest) => {
    const player = requirePlayer(request);
    await limits.takeShared("start", player.id);
    return player;
  };

  routes.get(
    path,
    { schema: { ...schema, summary: "The player's instance; an empty name means none" } },
    async (request, reply) =>
      sendJson(reply, JSON.stringify(await currentInstance(context, requirePlayer(request).id))),
  );
  routes.post(
    path,
    { schema: { ...schema, summary: "Start an instance, or return the one that runs", body: startRequest } },
    async (request) => startInstance(context, { player: await limited(request), ...request.body }),
  );
  routes.delete(path, { schema: { ...schema, summary: "Stop the instance" } }, (request) =>
    stopInstance(context, requirePlayer(request).id),
  );
  routes.post(`${path}/renew`, { schema: { ...schema, summary: "Give the instance more time" } }, async (request) =>
    renewInstance(context, (await limited(request)).id, deadline()),
  );
  routes.post(
    `${path}/restart`,
    { schema: { ...schema, summary: "Replace what runs; id, flag, addresses and time stay" } },
    async (request) => restartInstance(context, (await limited(request)).id, deadline()),
  );
  routes.get(
    `${path}/timeline`,
    {
      schema: {
        tags,
        summary: "How the start goes, step by step",
        response: { 200: timeline, ...refused, 409: problem },
      },
    },
    async (request) => {
      const { id } = requirePlayer(request);
      const found = await timelineOfRow(context, await requireCurrentRow(context, id), deadline());
      // Only organisers and authors read what is wrong with the challenge itself.
      const { message, reason } = await currentInstance(context, id);
      return { ...found, failure: found.failure && { ...found.failure, message: message ?? "", reason: reason ?? "" } };
    },
  );
}

/** Of all owners: for admins; some for the authors of the challenge and for support, too. */
export function addInstanceAdminRoutes(app: FastifyInstance, context: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const listed = { tags, response: { 200: z.array(instance), 401: problem, 403: problem } };
  const params = z.object({ id: z.string().max(64) });
  const one = { tags, params, response: { 200: adminInstance, ...refused, 404: problem, 409: problem } };
  const inspected = <T extends z.ZodType>(shape: T) => ({
    tags,
    params,
    response: { 200: shape, ...refused, 404: problem },
  });

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
  routes.get(
    "/api/admin/instances",
    {
      schema: {
        tags,
        summary: "Instances of all owners, filtered and sorted, a page at a time; for admins",
        querystring: adminInstancesQuery,
        response: { 200: adminInstances, ...refused },
      },
    },
    (request) => {
      requireRole(request, "admin");
      return listInstances(context, request.query);
    },
  );
  routes.post("/api/instances/:id/stop", { schema: { ...one, summary: "Stop an instance; for admins" } }, (request) => {
    requireRole(request, "admin");
    return stopById(context, request.params.id);
  });
  routes.post(
    "/api/instances/:id/extend",
    { schema: { ...one, summary: "Give an instance more time; for admins", body: extendRequest } },
    (request) => {
      requireRole(request, "admin");
      return extendById(context, request.params.id, request.body.minutes, deadline());
    },
  );
  routes.get(
    "/api/instances/:id/timeline",
    { schema: { ...inspected(timeline), summary: "How a start went; for admins and authors" } },
    async (request) => timelineOfRow(context, await requireInspector(context, request, request.params.id), deadline()),
  );
  routes.get(
    "/api/instances/:id/logs",
    { schema: { ...inspected(instanceLogs), summary: "Logs of an instance; for admins and authors" } },
    async (request) => logsOf(context, await requireInspector(context, request, request.params.id), deadline()),
  );
  routes.get(
    "/api/instances/:id/events",
    { schema: { ...inspected(instanceEvents), summary: "Events of an instance; for admins and authors" } },
    async (request) => eventsOf(context, await requireInspector(context, request, request.params.id), deadline()),
  );
}

/** Admins, support, and authors whom the Challenge names as owners. */
async function requireInspector(context: ApiContext, request: FastifyRequest, id: string): Promise<InstanceRow> {
  const { roles, id: playerId, federatedId } = requirePlayer(request);
  const isStaff = roles.includes("admin") || roles.includes("support");
  if (!isStaff && !roles.includes("author")) throw notInspector();
  const row = await requireRow(context, id);
  if (isStaff) return row;
  const key = makeKey(context.settings.namespace, row.challenge_name);
  const owners = context.caches().challenges.get(key)?.spec.owners ?? [];
  if (!owners.includes(playerId) && !owners.includes(federatedId)) throw notInspector();
  return row;
}

function notInspector(): ProblemError {
  return new ProblemError(
    "role_required",
    "This requires the role admin or support, or to be an author whom spec.owners of the Challenge names.",
  );
}
