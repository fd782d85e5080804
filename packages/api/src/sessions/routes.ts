/** The browsers in which a player is signed in. */
import { formatTime } from "@berg/apimachinery";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { ProblemError } from "../problems.ts";
import { problem, session } from "../wire.ts";
import { requireBrowser, requirePlayer } from "./authenticate.ts";
import { clearSessionCookie } from "./cookie.ts";
import { endSession, endSessions, listSessions } from "./store.ts";

export function addSessionRoutes(app: FastifyInstance, { db, clock, replicas, settings }: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["sessions"];
  const path = "/api/players/current/sessions";
  const noContent = z.null().describe("Done.");

  routes.get(
    path,
    { schema: { summary: "Own sessions, newest first", tags, response: { 200: z.array(session), 401: problem } } },
    async (request) => {
      const sessions = await listSessions(db, requirePlayer(request).id, clock.now());
      return sessions.map(({ id, createdAt, expiresAt, userAgent, address }) => ({
        id,
        createdAt: formatTime(createdAt),
        expiresAt: formatTime(expiresAt),
        ...{ userAgent, address },
        isCurrent: id === request.sessionId,
      }));
    },
  );
  routes.delete(
    path,
    {
      schema: {
        summary: "End all other sessions; not with an API key",
        tags,
        response: { 204: noContent, 400: problem, 401: problem },
      },
    },
    async (request, reply) => {
      const { id } = requireBrowser(request);
      const { sessionId } = request;
      await replicas.transact((transaction, announce) => {
        announce({ kind: "revoked", playerId: id, what: { sessions: "all", except: sessionId } });
        return endSessions(transaction, id, sessionId);
      });
      return reply.status(204).send(null);
    },
  );
  routes.delete(
    `${path}/:id`,
    {
      schema: {
        summary: "End one session; not with an API key",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 204: noContent, 400: problem, 401: problem, 404: problem },
      },
    },
    async (request, reply) => {
      const { id: playerId } = requireBrowser(request);
      const { id } = request.params;
      await replicas.transact(async (transaction, announce) => {
        if (!(await endSession(transaction, playerId, id))) {
          throw new ProblemError("not_found", `You have no session "${id}". It may have ended already.`);
        }
        announce({ kind: "revoked", playerId, what: { session: id } });
      });
      if (id === request.sessionId) clearSessionCookie(reply, settings.publicUrl);
      return reply.status(204).send(null);
    },
  );
}
