/** Flags that players submit. */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { SubmissionRow, Verdict } from "../database/schema.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer, requireRole } from "../sessions/authenticate.ts";
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
      const teamId = solved && solved.scorer_id !== player.id ? solved.scorer_id : null;
      const solvedAt = new Date(solved?.at ?? clock.now()).toISOString();
      return { playerId: player.id, challengeName: challenge, solvedAt, teamId, isPractice: solved === undefined };
    },
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
