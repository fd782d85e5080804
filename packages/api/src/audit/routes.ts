import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ApiContext } from "../context.ts";
import { requireRole } from "../sessions/authenticate.ts";
import { auditLog, auditQuery, problem } from "../wire.ts";
import { pageOfAudit } from "./store.ts";

export function addAuditRoutes(app: FastifyInstance, { db }: ApiContext): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    "/api/admin/audit",
    {
      schema: {
        summary: "What organisers did, newest first; for admins",
        tags: ["admin"],
        querystring: auditQuery,
        response: { 200: auditLog, 400: problem, 401: problem, 403: problem },
      },
    },
    async (request) => {
      requireRole(request, "admin");
      const { page, pageSize } = request.query;
      const { rows, total } = await pageOfAudit(db, request.query);
      const parse = (json: string | null): unknown => (json === null ? null : JSON.parse(json));
      const items = rows.map(({ id, at, actor_id, actor_name, action, target, before, after }) => ({
        ...{ id, at: new Date(at).toISOString(), actorId: actor_id, actorName: actor_name ?? "" },
        ...{ action, target, before: parse(before), after: parse(after) },
      }));
      return { items, total, page, pageSize };
    },
  );
}
