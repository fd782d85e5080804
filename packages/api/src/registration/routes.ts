/** How to sign in, and registering. */
import { formatTime, parseTime } from "@berg/apimachinery";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { countPlaces } from "../players/store.ts";
import { requireOwnOrigin } from "../sessions/authenticate.ts";
import { setSessionCookie } from "../sessions/cookie.ts";
import { personalLink, problem, registrationRequest, type SignInOptions, signInOptions } from "../wire.ts";
import { isWithinWindow, register } from "./registration.ts";

export function addRegistrationRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const { clock, settings } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["sign-in"];

  routes.get(
    "/api/sign-in",
    { schema: { summary: "How to sign in or register", tags, response: { 200: signInOptions } } },
    () => presentSignInOptions(context),
  );
  routes.post(
    "/api/registration",
    {
      schema: {
        summary: "Register; answers with a personal sign-in link and sets the session cookie",
        tags,
        body: registrationRequest,
        response: { 201: personalLink, 400: problem, 403: problem, 404: problem, 429: problem },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, settings.publicUrl);
      const { body, ip, player: signedIn, sessionId, headers } = request;
      await limits.takeShared("registration", ip);
      const before = signedIn && sessionId !== undefined ? { playerId: signedIn.id, sessionId } : undefined;
      const userAgent = headers["user-agent"];
      const { link, session } = await register(context, limits, {
        ...{ ...body, email: body.email, userAgent, address: ip, before },
      });
      setSessionCookie(reply, settings.publicUrl, session, clock.now());
      return reply.status(201).send({ link });
    },
  );
}

async function presentSignInOptions({ db, clock, competition, outbox }: ApiContext): Promise<SignInOptions> {
  const { title, organiser, logoUrl = "", registration, playerAttributes } = competition();
  const { mode, opensAt, closesAt, maxPlayers } = registration;
  const now = clock.now();
  const time = (text: string | undefined) => (text === undefined ? null : formatTime(parseTime(text)));
  const isFull = maxPlayers !== undefined && (await countPlaces(db)) >= maxPlayers;
  return {
    eventName: title,
    eventOrganiser: organiser,
    eventLogoUrl: logoUrl,
    registration: {
      mode,
      isOpen: mode !== "closed" && isWithinWindow(registration, now) && !isFull,
      opensAt: time(opensAt),
      closesAt: time(closesAt),
      isFull,
    },
    playerAttributes: playerAttributes.map((attribute) => ({ ...attribute, values: [...attribute.values] })),
    canMailLinks: outbox !== undefined,
    serverTime: new Date(now).toISOString(),
  };
}
