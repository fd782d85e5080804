import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer, requireReader } from "../sessions/authenticate.ts";
import {
  captainRequest,
  createTeamRequest,
  currentTeam as currentTeamShape,
  joinTeamRequest,
  patchTeamRequest,
  problem,
  team as teamShape,
} from "../wire.ts";
import {
  changeTeam,
  createTeam,
  currentTeam,
  joinTeam,
  leaveTeam,
  removeFromTeam,
  replaceJoinToken,
  transferTeam,
} from "./membership.ts";
import { presentTeam } from "./present.ts";
import { findTeam, listTeams } from "./store.ts";

export function addTeamRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const { db } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["teams"];
  const path = "/api/teams/current";
  const refused = { 400: problem, 401: problem, 403: problem, 429: problem };
  const own = { tags, response: { 200: currentTeamShape, ...refused } };
  const limited = (request: Parameters<typeof requirePlayer>[0]) => {
    const player = requirePlayer(request);
    limits.take("account", player.id);
    return player;
  };

  routes.get(
    "/api/teams",
    {
      preHandler: requireReader,
      schema: { summary: "All teams", tags, response: { 200: z.array(teamShape), 401: problem } },
    },
    async () => (await listTeams(db)).map(presentTeam),
  );
  routes.get(path, { schema: { ...own, summary: "The team of the player who asks" } }, (request) =>
    currentTeam(context, requirePlayer(request)),
  );
  routes.get(
    "/api/teams/:id",
    {
      preHandler: requireReader,
      schema: {
        summary: "One team",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 200: teamShape, 401: problem, 404: problem },
      },
    },
    async ({ params }) => {
      const found = await findTeam(db, params.id);
      if (!found) throw new ProblemError("not_found", `There is no team "${params.id}".`);
      return presentTeam(found);
    },
  );
  routes.post(
    "/api/teams/create",
    { schema: { ...own, summary: "Create a team; its creator is the captain", body: createTeamRequest } },
    (request) => createTeam(context, limited(request), request.body),
  );
  routes.post(
    "/api/teams/join",
    { schema: { ...own, summary: "Join a team with its join token", body: joinTeamRequest } },
    (request) => joinTeam(context, limited(request), request.body.joinToken),
  );
  routes.patch(
    path,
    { schema: { ...own, summary: "Change the name or the division; for the captain", body: patchTeamRequest } },
    (request) => changeTeam(context, limited(request), request.body),
  );
  routes.post(
    `${path}/join-token`,
    { schema: { ...own, summary: "Replace the join token; for the captain" } },
    (request) => replaceJoinToken(context, limited(request)),
  );
  routes.put(
    `${path}/captain`,
    { schema: { ...own, summary: "Make another member captain; for the captain", body: captainRequest } },
    (request) => transferTeam(context, limited(request), request.body.playerId),
  );
  routes.delete(
    `${path}/players/:id`,
    {
      schema: {
        ...own,
        summary: "Remove a member and replace the join token; for the captain",
        params: z.object({ id: z.string().max(64) }),
      },
    },
    (request) => removeFromTeam(context, limited(request), request.params.id),
  );
  routes.delete(
    path,
    {
      schema: {
        summary: "Leave the team; the last member deletes it",
        tags,
        response: { 204: z.null().describe("Done."), ...refused },
      },
    },
    async (request, reply) => {
      await leaveTeam(context, limited(request));
      return reply.status(204).send(null);
    },
  );
}
