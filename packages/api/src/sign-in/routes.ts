/**
 * Signing in with a link. Opening the link does not sign in: the token is in the fragment, which browsers do not send, and
 * the page asks before it posts it. So neither a link checker nor another site can start or replace a session.
 */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { Tables } from "../database/schema.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import type { Provider } from "../openid/provider.ts";
import { isBanned } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { addressToStore } from "../sessions/addresses.ts";
import { requireOwnOrigin } from "../sessions/authenticate.ts";
import { clearSessionCookie, setSessionCookie } from "../sessions/cookie.ts";
import { createSession, endSession, findSessionProvider } from "../sessions/store.ts";
import { problem, signedOut, signInPreview, signInRequest } from "../wire.ts";
import { consumeLink, findLink } from "./store.ts";

const tags = ["sign-in"];
const noContent = z.null().describe("Done.");

export function addSignInRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { limits, providers }: { limits: RateLimits; providers: readonly Provider[] },
): void {
  const { db, clock, replicas, settings } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post(
    "/api/sign-in/preview",
    {
      schema: {
        summary: "Whom a sign-in link signs in; consumes nothing",
        tags,
        body: signInRequest,
        response: { 200: signInPreview, 403: problem, 429: problem },
      },
    },
    async ({ body, ip, player }) => {
      await limits.takeShared("sign-in", ip);
      const found = (await findLink(db, body.token, clock.now())) ?? refuse();
      await requireNotBanned(db, found.id);
      return { name: found.name, replaces: player && player.id !== found.id ? player.name : null };
    },
  );

  routes.post(
    "/api/sign-in",
    {
      schema: {
        summary: "Sign in with a link; sets the session cookie",
        tags,
        body: signInRequest,
        response: { 204: noContent, 403: problem, 429: problem },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, settings.publicUrl);
      const { body, ip, player, sessionId, headers } = request;
      await limits.takeShared("sign-in", ip);
      const now = clock.now();
      // All or nothing: a link must not be used up by a sign-in that failed.
      const session = await replicas.transact(async (transaction, announce) => {
        const found = (await findLink(transaction, body.token, now)) ?? refuse();
        await requireNotBanned(transaction, found.id);
        if (!(await consumeLink(transaction, body.token, now))) refuse();
        if (player && sessionId !== undefined) {
          await endSession(transaction, player.id, sessionId);
          announce({ kind: "revoked", playerId: player.id, what: { session: sessionId } });
        }
        return createSession(transaction, found, {
          ...{ now, userAgent: headers["user-agent"] },
          address: addressToStore(settings, ip),
        });
      });
      setSessionCookie(reply, settings.publicUrl, session, now);
      return reply.status(204).send(null);
    },
  );

  routes.post(
    "/api/sign-out",
    { schema: { summary: "End the session", tags, response: { 200: signedOut, 204: noContent } } },
    async (request, reply) => {
      const { player, sessionId } = request;
      const name = sessionId === undefined ? undefined : await findSessionProvider(db, sessionId);
      if (player && sessionId !== undefined) {
        await replicas.transact(async (transaction, announce) => {
          await endSession(transaction, player.id, sessionId);
          announce({ kind: "revoked", playerId: player.id, what: { session: sessionId } });
        });
      }
      clearSessionCookie(reply, settings.publicUrl);
      const url = providers.find((provider) => provider.name === name)?.endSessionUrl();
      if (url !== undefined) return reply.status(200).send({ url });
      return reply.status(204).send(null);
    },
  );
}

async function requireNotBanned(db: Kysely<Tables>, playerId: string): Promise<void> {
  if (await isBanned(db, playerId)) throw new ProblemError("banned", "The organiser has banned this account.");
}

function refuse(): never {
  throw new ProblemError(
    "sign_in_link_invalid",
    "It was used already, has expired or was replaced. Ask the organiser for a new one.",
  );
}
