import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer } from "../sessions/authenticate.ts";
import { currentPlayer, player, problem } from "../wire.ts";
import { findPlayer, listPlayers, type Player, resetApiKey } from "./store.ts";

export function addPlayerRoutes(app: FastifyInstance, { db }: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["players"];
  const present = ({ id, name }: Player) => ({ id, name, attributes: {} });

  routes.get(
    "/api/players",
    { schema: { summary: "All players", tags, response: { 200: z.array(player) } } },
    async () => (await listPlayers(db)).map(present),
  );
  routes.get(
    "/api/players/current",
    { schema: { summary: "The player who asks", tags, response: { 200: currentPlayer, 401: problem } } },
    (request) => {
      const { id, name, roles, federatedId, apiKeyPlaceholder } = requirePlayer(request);
      return { id, name, roles, federatedId, apiKeyPlaceholder, attributes: {} };
    },
  );
  routes.get(
    "/api/players/:id",
    {
      schema: {
        summary: "One player",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 200: player, 404: problem },
      },
    },
    async ({ params }) => {
      const found = await findPlayer(db, params.id);
      if (!found) throw new ProblemError("not_found", `There is no player "${params.id}".`);
      return present(found);
    },
  );
  routes.delete(
    "/api/players/current/api-key",
    {
      schema: {
        summary: "Replace the API key; the new one is in the answer, and nowhere else",
        tags,
        response: { 200: z.string(), 400: problem, 401: problem },
      },
    },
    async (request, reply) => {
      const { id } = requirePlayer(request);
      if (request.usesApiKey) {
        throw new ProblemError("api_key_refused", "An API key cannot replace itself. Sign in with your browser.");
      }
      const key = await resetApiKey(db, id);
      if (/json/.test(request.headers.accept ?? "")) {
        return reply.type("application/json; charset=utf-8").serializer(JSON.stringify).send(key);
      }
      return reply.type("text/plain; charset=utf-8").serializer(String).send(key);
    },
  );
}
