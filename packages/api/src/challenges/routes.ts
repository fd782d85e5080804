import { makeKey, parseTime, type Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { ProblemError } from "../problems.ts";
import { challenge, problem, type Challenge as WireChallenge } from "../wire.ts";
import { presentChallenge } from "./present.ts";

export function addChallengeRoutes(app: FastifyInstance, context: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["challenges"];
  routes.get(
    "/api/challenges",
    { schema: { summary: "All challenges that players can see", tags, response: { 200: z.array(challenge) } } },
    () => visibleChallenges(context).map(present),
  );
  routes.get(
    "/api/challenges/:name",
    {
      schema: {
        summary: "One challenge",
        tags,
        params: z.object({ name: z.string().max(253) }),
        response: { 200: challenge, 404: problem },
      },
    },
    ({ params }) => {
      const found = findChallenge(context, params.name);
      if (!found) throw new ProblemError("not_found", `There is no challenge "${params.name}".`);
      return present(found);
    },
  );
}

/** Undefined where there is none, or where players cannot see it yet. */
export function findChallenge(context: ApiContext, name: string): Stored<Challenge> | undefined {
  const stored = context.caches().challenges.get(makeKey(context.settings.namespace, name));
  return stored && isVisible(stored, context.clock.now()) ? stored : undefined;
}

function visibleChallenges(context: ApiContext): Stored<Challenge>[] {
  const now = context.clock.now();
  const visible = context
    .caches()
    .challenges.list()
    .filter((stored) => isVisible(stored, now));
  return visible.sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
}

export function isVisible({ spec }: Pick<Challenge, "spec">, now: number): boolean {
  return spec.hideUntil === undefined || parseTime(spec.hideUntil) <= now;
}

const presented = new WeakMap<object, WireChallenge>();

/** Rendered once for each version of a Challenge: cached objects are frozen, and replaced when they change. */
export function present(stored: Stored<Challenge>): WireChallenge {
  const known = presented.get(stored);
  if (known) return known;
  const shown = presentChallenge(stored);
  presented.set(stored, shown);
  return shown;
}
