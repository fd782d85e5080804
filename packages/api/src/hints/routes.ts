/** Hints of challenges. The content of a hint is sent only to scorers that have unlocked it. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { requirePrerequisites } from "../challenges/prerequisites.ts";
import { renderDescription } from "../challenges/present.ts";
import { readableChallenge } from "../challenges/routes.ts";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { requirePlayer } from "../sessions/authenticate.ts";
import { requireTime, submitterOf } from "../submissions/submit.ts";
import { type Hint, hint, problem } from "../wire.ts";
import { unlockedHints, unlockHint } from "./store.ts";

export function addHintRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const { db } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["challenges"];
  const path = "/api/challenges/:name/hints";
  const refused = { 400: problem, 401: problem, 403: problem, 404: problem, 429: problem };
  const playable = (request: FastifyRequest, name: string) => {
    const player = requirePlayer(request);
    return { player, challenge: readableChallenge(context, name, player) };
  };

  routes.get(
    path,
    {
      schema: {
        summary: "Hints of a challenge; with their content, where they are unlocked",
        tags,
        params: z.object({ name: z.string().max(253) }),
        response: { 200: z.array(hint), ...refused },
      },
    },
    async (request): Promise<Hint[]> => {
      const { player, challenge } = playable(request, request.params.name);
      const { scorerId } = await submitterOf(context, player);
      const unlocked = await unlockedHints(db, scorerId, challenge.metadata.name);
      return challenge.spec.hints.map((one) => present(one, unlocked.includes(one.name)));
    },
  );
  routes.post(
    `${path}/:hint`,
    {
      schema: {
        summary: "Unlock a hint, at its cost; one that is unlocked costs nothing again",
        tags,
        params: z.object({ name: z.string().max(253), hint: z.string().max(63) }),
        response: { 200: hint, ...refused },
      },
    },
    async (request): Promise<Hint> => {
      const { player, challenge } = playable(request, request.params.name);
      limits.take("account", player.id);
      const { name } = challenge.metadata;
      const found = challenge.spec.hints.find((one) => one.name === request.params.hint);
      if (!found) throw new ProblemError("not_found", `"${name}" has no hint "${request.params.hint}".`);
      const isPractice = requireTime(context, player);
      const { scorerId } = await submitterOf(context, player);
      await requirePrerequisites(context, challenge, player);
      if (!isPractice) {
        const unlock = { scorerId, playerId: player.id, challenge: name, hint: found.name, cost: found.cost };
        await unlockHint(context, unlock);
      }
      return present(found, true);
    },
  );
}

function present(
  { name, title, cost, content }: Omit<Hint, "content"> & { content: string },
  isUnlocked: boolean,
): Hint {
  return { name, title, cost, content: isUnlocked ? renderDescription(content) : null };
}
