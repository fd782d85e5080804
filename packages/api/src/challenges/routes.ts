import { makeKey, parseTime, type Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { hasStarted, isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import { ListJson, sendJson } from "../http/json-text.ts";
import type { Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { requireReader } from "../sessions/authenticate.ts";
import { challenge, problem, type Challenge as WireChallenge } from "../wire.ts";
import { presentChallenge } from "./present.ts";

export function addChallengeRoutes(app: FastifyInstance, context: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["challenges"];
  const json = new ListJson(present);
  routes.get(
    "/api/challenges",
    {
      preHandler: requireReader,
      schema: {
        summary: "All challenges that the asker can see: none before the start",
        tags,
        response: { 200: z.array(challenge), 401: problem },
      },
    },
    ({ player }, reply) => sendJson(reply, json.of(visibleChallenges(context, player))),
  );
  routes.get(
    "/api/challenges/:name",
    {
      preHandler: requireReader,
      schema: {
        summary: "One challenge",
        tags,
        params: z.object({ name: z.string().max(253) }),
        response: { 200: challenge, 400: problem, 401: problem, 404: problem },
      },
    },
    ({ params, player }, reply) => sendJson(reply, json.item(readableChallenge(context, params.name, player))),
  );
}

/** For a route of one challenge. Throws a problem where the player cannot see it, or not yet. */
export function readableChallenge(context: ApiContext, name: string, player: Player | undefined): Stored<Challenge> {
  requireStart(context, player);
  const found = findChallenge(context, name, player);
  if (!found) throw new ProblemError("not_found", `There is no challenge "${name}".`);
  return found;
}

/** Undefined where there is none, or where the player cannot see it yet. */
export function findChallenge(
  context: ApiContext,
  name: string,
  player: Player | undefined,
): Stored<Challenge> | undefined {
  const stored = context.caches().challenges.get(makeKey(context.settings.namespace, name));
  return stored && (isAdmin(player) || isVisible(stored, context.clock.now())) ? stored : undefined;
}

/** Throws a problem before the start, unless the player is an admin. */
export function requireStart({ competition, clock }: ApiContext, player: Player | undefined): void {
  const { start } = competition();
  if (isAdmin(player) || hasStarted(competition(), clock.now())) return;
  throw new ProblemError("not_started", `Challenges can be seen and started from ${start} on.`);
}

function visibleChallenges(context: ApiContext, player: Player | undefined): Stored<Challenge>[] {
  const now = context.clock.now();
  const seesAll = isAdmin(player);
  if (!seesAll && !hasStarted(context.competition(), now)) return [];
  const visible = context
    .caches()
    .challenges.list()
    .filter((stored) => seesAll || isVisible(stored, now));
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
