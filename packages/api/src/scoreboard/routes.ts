/**
 * Who leads. Everything here that is not for admins or about the asker comes from the public cut of the board, which ends at
 * the freeze.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { ctftimeFeed } from "../board/ctftime.ts";
import type { CountedSolve, Cut } from "../board/cut.ts";
import { findScorer } from "../board/document.ts";
import { readableChallenge } from "../challenges/routes.ts";
import { isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer, requireReader, requireRole } from "../sessions/authenticate.ts";
import { findTeam, teamOfPlayer } from "../teams/store.ts";
import {
  type ChallengeSolves,
  challengeSolves,
  ctftime,
  ctftimeQuery,
  graphQuery,
  type OwnStanding,
  ownStanding,
  problem,
  type ScoreGraph,
  type ScorerStanding,
  scoreboard,
  scoreboardQuery,
  scoreGraph,
  scorerStanding,
} from "../wire.ts";
import { CompressedBoards, encodingFor } from "./compressed.ts";

const mostInGraph = 20;
const leaders = 10;

export function addScoreboardRoutes(app: FastifyInstance, context: ApiContext): void {
  const { board } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["scoreboard"];
  const refused = { 400: problem, 401: problem, 403: problem, 503: problem };
  const documents = new CompressedBoards();
  /** Throws a problem where the asker may not see the board, or where the values of challenges are not known yet. */
  const publicCut = (request: FastifyRequest): Cut => {
    requireBoard(context, request);
    context.caches();
    return board.model.public;
  };

  routes.get(
    "/api/scoreboard",
    {
      schema: {
        summary: "The whole scoreboard as one document, with an ETag",
        tags,
        querystring: scoreboardQuery,
        response: { 200: scoreboard, 304: z.null().describe("Not changed."), ...refused },
      },
    },
    async (request, reply) => {
      let cut = publicCut(request);
      if (request.query.cut === "full") {
        requireRole(request, "admin");
        cut = board.model.full;
      }
      // Weak: the same document in several encodings.
      const etag = `W/"${cut.version}"`;
      reply.headers({ etag, "cache-control": "private, no-cache", vary: "accept-encoding, cookie, authorization" });
      if (request.headers["if-none-match"]?.includes(`"${cut.version}"`))
        return reply
          .status(304)
          .serializer(String)
          .send("" as never);
      const encoding = encodingFor(request.headers["accept-encoding"]);
      if (encoding !== "identity") reply.header("content-encoding", encoding);
      return reply
        .header("content-type", "application/json; charset=utf-8")
        .send((await documents.bytes(cut, encoding)) as never);
    },
  );
  routes.get(
    "/api/scoreboard/graph",
    {
      schema: {
        summary: "How the scores of some scorers grew",
        tags,
        querystring: graphQuery,
        response: { 200: scoreGraph, ...refused },
      },
    },
    async (request): Promise<ScoreGraph> => {
      const cut = publicCut(request);
      const asked = request.query.scorers.split(",").filter((one) => one !== "");
      if (asked.length > mostInGraph) {
        const detail = `Ask for up to ${mostInGraph} scorers; these are ${asked.length}.`;
        throw new ProblemError("invalid_request", detail, { field: "scorers" });
      }
      const ids =
        asked.length > 0
          ? asked.map((ref) => requireScorer(cut, ref, "invalid_request"))
          : cut.ranking.slice(0, leaders).map(({ scorer }) => scorer.id);
      const scorers = [...new Set(ids)].map((id) => ({
        id,
        name: cut.standing(id)?.scorer.name ?? "",
        points: cut.graph(id).map(({ at, score }) => ({ at: new Date(at).toISOString(), score })),
      }));
      return { version: cut.version, scorers };
    },
  );
  routes.get(
    "/api/scoreboard/own",
    {
      schema: {
        summary: "The own standing and solves, also during the freeze",
        tags,
        response: { 200: ownStanding, ...refused },
      },
    },
    async (request): Promise<OwnStanding> => {
      const player = requirePlayer(request);
      context.caches();
      const { id, name, division } = await scorerOf(context, player);
      const { solves, score } = board.model.own(id);
      // A rank would tell of the board, which is hidden.
      const standing = maySeeBoard(context, request) ? board.model.public.standing(id) : undefined;
      return {
        ...{ id, name, division, score, rank: standing?.rank ?? null, divisionRank: standing?.divisionRank ?? null },
        solves: solves.map(({ playerId, challenge, at, points, isPublic }) => ({
          ...{ playerId, challengeName: challenge, solvedAt: new Date(at).toISOString(), points, isPublic },
        })),
      };
    },
  );
  routes.get(
    "/api/scorers/:id",
    {
      schema: {
        summary: "Standing, members and solves of one team or player",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 200: scorerStanding, ...refused, 404: problem },
      },
    },
    async (request): Promise<ScorerStanding> => {
      const cut = publicCut(request);
      const id = requireScorer(cut, request.params.id, "not_found");
      const standing = cut.standing(id);
      if (!standing) throw new Error(`the scorer ${id} has no standing in its own cut`);
      const { scorer, rank, divisionRank, score } = standing;
      const team = await findTeam(context.db, id);
      return {
        ...{ id, name: scorer.name, division: scorer.division, rank, divisionRank, score },
        members: team?.players ?? [id],
        solves: cut.solvesOf(id).map(({ playerId, challenge, points, position, at }) => ({
          ...{ playerId, challengeName: challenge, solvedAt: new Date(at).toISOString(), points, position },
        })),
      };
    },
  );
  routes.get(
    "/api/challenges/:name/solves",
    {
      preHandler: requireReader,
      schema: {
        summary: "Who solved a challenge, first blood first",
        tags,
        params: z.object({ name: z.string().max(253) }),
        response: { 200: challengeSolves, ...refused, 404: problem },
      },
    },
    async (request): Promise<ChallengeSolves> => {
      const cut = publicCut(request);
      const { name } = readableChallenge(context, request.params.name, request.player).metadata;
      const present = ({ scorerId, playerId, at, position }: CountedSolve) => ({
        ...{ scorerId, scorerName: cut.standing(scorerId)?.scorer.name ?? "", playerId, position },
        solvedAt: new Date(at).toISOString(),
      });
      const solves = cut.solves().filter(({ challenge }) => challenge === name);
      return { challengeName: name, value: cut.value(name) ?? 0, solves: solves.map(present) };
    },
  );
  routes.get(
    "/api/ctftime",
    {
      schema: {
        summary: "The standings as CTFtime reads them, where the organiser publishes them",
        tags,
        querystring: ctftimeQuery,
        response: { 200: ctftime, 404: problem, 503: problem },
      },
    },
    async ({ query }) => {
      if (!context.competition().visibility.ctftime) {
        throw new ProblemError("not_found", "The organiser does not publish the standings for CTFtime.");
      }
      context.caches();
      return ctftimeFeed(board.model.public, query.division);
    },
  );
}

export function maySeeBoard({ competition }: ApiContext, { player }: FastifyRequest): boolean {
  const { board } = competition().visibility;
  return isAdmin(player) || board === "public" || (board === "players" && player !== undefined);
}

function requireBoard(context: ApiContext, request: FastifyRequest): void {
  if (maySeeBoard(context, request)) return;
  if (context.competition().visibility.board === "players") requirePlayer(request);
  throw new ProblemError("board_hidden", "Only the organisers see it now.");
}

/** By the id, or by the ref of the document. */
function requireScorer(cut: Cut, ref: string, code: "not_found" | "invalid_request"): string {
  const found = findScorer(cut, ref);
  if (found !== undefined) return found;
  throw new ProblemError(code, `There is no team or player "${ref}" on the scoreboard.`, {
    ...(code === "invalid_request" && { field: "scorers" }),
  });
}

async function scorerOf(
  { db, competition }: ApiContext,
  player: { id: string; name: string },
): Promise<{ id: string; name: string; division: string | null }> {
  if (!competition().teams.enabled) return { ...player, division: null };
  const team = await teamOfPlayer(db, player.id);
  if (!team) throw new ProblemError("team_required", "Create a team, or join one with its join link.");
  return team;
}
