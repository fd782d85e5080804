/** Flags that players submit. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { SolveRow } from "../board/rows.ts";
import { isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { SubmissionRow, Verdict } from "../database/schema.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { maySeeBoard } from "../scoreboard/routes.ts";
import { requirePlayer, requireReader, requireRole } from "../sessions/authenticate.ts";
import { teamOfPlayer } from "../teams/store.ts";
import {
  problem,
  type Solve,
  type Submission,
  solve,
  solveRequest,
  submission,
  submissionsQuery,
  verdicts,
} from "../wire.ts";
import { presentSolve } from "./present.ts";
import { listSubmissions } from "./store.ts";
import { submitFlag } from "./submit.ts";

export function addSubmissionRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const { db, clock } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["solves"];
  const refused = { 400: problem, 401: problem, 403: problem, 429: problem };

  routes.post(
    "/api/solves",
    { schema: { summary: "Submit a flag", tags, body: solveRequest, response: { 200: solve, ...refused } } },
    async (request): Promise<Solve> => {
      const player = requirePlayer(request);
      const { challenge, flag } = request.body;
      const solved = await submitFlag(context, limits, { player, challenge, flag, address: request.ip });
      const scorerId = solved?.scorer_id ?? player.id;
      const shown = presentSolve({ playerId: player.id, scorerId, challenge, at: solved?.at ?? clock.now() });
      return { ...shown, isPractice: solved === undefined };
    },
  );
  routes.get(
    "/api/solves",
    {
      preHandler: requireReader,
      schema: {
        summary: "Solves in their order: during the freeze those before it and the own ones; all of them for admins",
        tags,
        response: { 200: z.array(solve), 401: problem, 503: problem },
      },
    },
    async (request): Promise<Solve[]> => (await solvesFor(context, request)).map(presentSolve),
  );
  routes.get(
    "/api/submissions",
    {
      schema: {
        summary: "Submitted flags, newest first: wrong ones and those of others, unless asked for more; for admins",
        tags,
        querystring: submissionsQuery,
        response: { 200: z.array(submission), ...refused },
      },
    },
    async (request) => {
      requireRole(request, "admin");
      return (await listSubmissions(db, readVerdicts(request.query.verdict))).map(presentSubmission);
    },
  );
}

/** Without solves that the scoreboard does not count, such as those of admins and of hidden teams. */
async function solvesFor(context: ApiContext, request: FastifyRequest): Promise<Omit<SolveRow, "id">[]> {
  const { db, board } = context;
  const { player } = request;
  // Before the challenges are known, nothing counts.
  context.caches();
  if (isAdmin(player)) {
    const rows = await db.selectFrom("ledger").selectAll().where("kind", "=", "solve").orderBy("id").execute();
    return rows.map(({ scorer_id, player_id, challenge_name, at }) => ({
      ...{ scorerId: scorer_id, playerId: player_id ?? "", challenge: challenge_name ?? "", at },
    }));
  }
  const listed = maySeeBoard(context, request) ? board.model.public.solves() : [];
  if (!player) return listed;
  const isTeams = context.competition().teams.enabled;
  const scorerId = isTeams ? (await teamOfPlayer(db, player.id))?.id : player.id;
  const known = new Set(listed.map(({ id }) => id));
  const own = scorerId === undefined ? [] : board.model.own(scorerId).solves.filter(({ id }) => !known.has(id));
  return [...listed, ...own].sort((one, other) => one.id - other.id);
}

function readVerdicts(text: string): Verdict[] {
  if (text === "all") return [...verdicts];
  return text.split(",").map((name) => {
    const verdict = verdicts.find((one) => one === name);
    if (verdict) return verdict;
    const detail = `"${name}" is no verdict. There are: ${verdicts.join(", ")}, and all.`;
    throw new ProblemError("invalid_request", detail, { field: "verdict" });
  });
}

function presentSubmission({ id, player_id, at, challenge_name, value, verdict }: SubmissionRow): Submission {
  return {
    id,
    playerId: player_id,
    submittedAt: new Date(at).toISOString(),
    challengeName: challenge_name,
    value,
    verdict,
  };
}
