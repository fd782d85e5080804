import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { sendJson } from "../http/json-text.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { stopInstance } from "../instances/commands.ts";
import { ProblemError } from "../problems.ts";
import { requireBrowser, requirePlayer, requireReader } from "../sessions/authenticate.ts";
import { clearSessionCookie } from "../sessions/cookie.ts";
import { requireMail } from "../sign-in/lost-links.ts";
import { departIfMember } from "../teams/membership.ts";
import { apiKeyQuery, currentPlayer, patchPlayerRequest, personalLink, player, problem } from "../wire.ts";
import { replaceLink } from "./accounts.ts";
import { checkAttributes } from "./attributes.ts";
import { presentCurrentPlayer, presentPlayer } from "./present.ts";
import {
  anonymisePlayer,
  findPlayer,
  isLocal,
  type Player,
  type Role,
  resetApiKey,
  roles,
  updatePlayer,
} from "./store.ts";

export function addPlayerRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const { db, clock, replicas, settings, playerList } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["players"];
  const path = "/api/players/current";
  const present = (found: Player) => presentPlayer(found, context.competition().playerAttributes);

  routes.get(
    "/api/players",
    {
      preHandler: requireReader,
      schema: { summary: "All players", tags, response: { 200: z.array(player), 401: problem } },
    },
    async (_, reply) => sendJson(reply, await playerList.json()),
  );
  routes.get(
    path,
    { schema: { summary: "The player who asks", tags, response: { 200: currentPlayer, 401: problem } } },
    (request, reply) => sendJson(reply, JSON.stringify(presentCurrentPlayer(requirePlayer(request)))),
  );
  routes.get(
    "/api/players/:id",
    {
      preHandler: requireReader,
      schema: {
        summary: "One player",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 200: player, 401: problem, 404: problem },
      },
    },
    async ({ params }) => {
      const found = await findPlayer(db, params.id);
      if (!found) throw new ProblemError("not_found", `There is no player "${params.id}".`);
      return present(found);
    },
  );
  routes.patch(
    path,
    {
      schema: {
        summary: "Change the own name, attributes or e-mail address; what is not named stays",
        tags,
        body: patchPlayerRequest,
        response: { 200: currentPlayer, 400: problem, 401: problem, 404: problem, 429: problem },
      },
    },
    async (request) => {
      const asking = requirePlayer(request);
      limits.take("account", asking.id);
      const { name, attributes, email } = request.body;
      checkAttributes(context.competition().playerAttributes, attributes);
      if (name !== undefined && name !== asking.name && !isLocal(asking)) {
        const detail = "Your name comes from where you sign in. Change it there, and sign in again.";
        throw new ProblemError("invalid_request", detail, { field: "name" });
      }
      // A key that changes the address could have a sign-in link sent to itself.
      if (email !== undefined) requireBrowser(request);
      if (typeof email === "string") checkEmail(context, asking);
      const changed = await replicas.transact((transaction, announce) => {
        announce({ kind: "player", playerId: asking.id });
        return updatePlayer(transaction, asking.id, { name, attributes, email, now: clock.now() });
      });
      if (!changed) throw new ProblemError("sign_in_required", "The account was deleted.");
      return presentCurrentPlayer({ ...changed, roles: asking.roles });
    },
  );
  routes.delete(
    path,
    {
      schema: {
        summary: "Delete the own account: name, attributes, sign-in and instance; not with an API key",
        tags,
        response: { 200: z.literal("").describe("Done: an empty answer."), 400: problem, 401: problem },
      },
    },
    async (request, reply) => {
      const { id } = requireBrowser(request);
      // First, so that nothing is deleted where it fails and can be tried again.
      await stopInstance(context, id);
      await departIfMember(context, id);
      await replicas.transact(async (transaction, announce) => {
        announce({ kind: "revoked", playerId: id, what: "all" });
        if (await anonymisePlayer(transaction, id, clock.now())) announce({ kind: "player", playerId: id });
      });
      // A start of another tab may have come in between.
      await stopInstance(context, id).catch(() => context.log.debug({ player: id }, "a second stop failed"));
      clearSessionCookie(reply, settings.publicUrl);
      // An empty 200, as the original answers.
      return reply.status(200).serializer(String).send("");
    },
  );
  routes.post(
    `${path}/link`,
    {
      schema: {
        summary: "Replace the personal sign-in link; ends all other sessions; not with an API key",
        tags,
        response: { 200: personalLink, 400: problem, 401: problem, 429: problem },
      },
    },
    async (request) => {
      const { id } = requireBrowser(request);
      limits.take("account", id);
      const deps = { db, clock, replicas, publicUrl: settings.publicUrl };
      return { link: await replaceLink(deps, id, "personal", request.sessionId) };
    },
  );
  routes.delete(
    `${path}/api-key`,
    {
      schema: {
        summary: "Replace the API key; the new one is in the answer, and nowhere else; not with an API key",
        tags,
        querystring: apiKeyQuery,
        response: { 200: z.string(), 400: problem, 401: problem, 429: problem },
      },
    },
    async (request, reply) => {
      const asking = requireBrowser(request);
      limits.take("account", asking.id);
      const scopes = readScopes(request.query.scopes, asking);
      const key = await replicas.transact((transaction, announce) => {
        announce({ kind: "revoked", playerId: asking.id, what: "key" });
        return resetApiKey(transaction, asking.id, scopes);
      });
      if (/json/.test(request.headers.accept ?? "")) {
        return reply.type("application/json; charset=utf-8").serializer(JSON.stringify).send(key);
      }
      return reply.type("text/plain; charset=utf-8").serializer(String).send(key);
    },
  );
}

/** Throws a problem where no link could be sent to an address of the player. */
function checkEmail(context: ApiContext, asking: Player): void {
  const field = "email";
  requireMail(context, field);
  if (isLocal(asking)) return;
  throw new ProblemError("invalid_request", "Your account has no sign-in link that could be lost.", { field });
}

/** Throws a problem where a scope is no role, or none of the player's. */
function readScopes(text: string, asking: Player): Role[] {
  return text
    .split(",")
    .filter((scope) => scope !== "")
    .map((scope) => {
      const role = roles.find((one) => one === scope);
      if (role && asking.roles.includes(role)) return role;
      const detail = `"${scope}" is none of your roles. A key can have: ${asking.roles.join(", ")}.`;
      throw new ProblemError("invalid_request", detail, { field: "scopes" });
    });
}
