import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { requireRole } from "../sessions/authenticate.ts";
import { awardRequest, moderateRequest, problem, scorerState } from "../wire.ts";
import { award, moderate } from "./moderate.ts";

export function addModerationRoutes(app: FastifyInstance, context: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["admin"];
  const refused = { 400: problem, 401: problem, 403: problem, 404: problem };

  routes.patch(
    "/api/admin/scorers/:id",
    {
      schema: {
        summary: "Ban or hide a player or a team, or take it back; for admins",
        tags,
        params: z.object({ id: z.string().max(64) }),
        body: moderateRequest,
        response: { 200: scorerState, ...refused },
      },
    },
    (request) => {
      const { id: actorId } = requireRole(request, "admin");
      return moderate(context, { actorId, targetId: request.params.id, ...request.body });
    },
  );
  routes.post(
    "/api/admin/awards",
    {
      schema: {
        summary: "Give points to a player or a team, or take them; for admins",
        tags,
        body: awardRequest,
        response: { 204: z.null().describe("Done."), ...refused },
      },
    },
    async (request, reply) => {
      const { id: actorId } = requireRole(request, "admin");
      await award(context, { actorId, ...request.body });
      return reply.status(204).send(null);
    },
  );
}
