/**
 * Signing in at an identity provider. Both routes are visited by the browser itself, so what goes wrong leads to the
 * sign-in page with a code that it explains; texts of the provider are never passed on.
 */
import { errorText } from "@berg/kube";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { pathOf } from "../http/path.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { addressToStore } from "../sessions/addresses.ts";
import { cookieOptions, setSessionCookie } from "../sessions/cookie.ts";
import { newToken } from "../sessions/tokens.ts";
import { problem, type SignInFailure, signInFailures, signInProvider } from "../wire.ts";
import type { Provider } from "./provider.ts";
import { ownPathOf } from "./return-path.ts";
import { signInIdentity } from "./sign-in.ts";
import { SignInError } from "./sign-in-error.ts";
import { createPending, pendingMs, takePending } from "./store.ts";

const tags = ["sign-in"];
const redirect = z.null().describe("To the provider, or to a page of ours.");
const params = z.object({ provider: z.string().max(64) });

export function addOpenidRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { providers, limits }: { providers: readonly Provider[]; limits: RateLimits },
): void {
  const { db, clock, log, settings } = context;
  const { publicUrl } = settings;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const cookie = publicUrl.startsWith("https:") ? "__Host-berg-sign-in" : "berg-sign-in";

  routes.get(
    "/api/sign-in/providers",
    {
      schema: {
        summary: "Identity providers that players can sign in with",
        tags,
        response: { 200: z.array(signInProvider) },
      },
    },
    () => providers.map(({ settings: { name, title } }) => ({ name, title })),
  );
  routes.get(
    "/api/sign-in/:provider",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Begin a sign-in at an identity provider; for browsers",
        tags,
        params,
        querystring: z.object({
          return: z.string().max(2048).default("/challenges").describe("Path of the page to show afterwards."),
        }),
        response: { 302: redirect, 400: problem, 404: problem },
      },
    },
    async (request, reply) => {
      const provider = findProvider(request.params.provider);
      const returnPath = ownPathOf(request.query.return, publicUrl);
      if (returnPath === undefined) {
        const detail = 'return: it must be the path of a page here, such as "/challenges".';
        throw new ProblemError("invalid_request", detail, { field: "return" });
      }
      return orFail(reply, provider, async () => {
        limits.take("sign-in", request.ip);
        // One for all tabs of the browser: each of them can finish its own sign-in.
        const browserToken = request.cookies[cookie] || newToken();
        const now = clock.now();
        const challenge = await createPending(db, { provider: provider.name, browserToken, returnPath, now });
        const url = await provider.authorizationUrl(challenge);
        reply.setCookie(cookie, browserToken, { ...cookieOptions(publicUrl), maxAge: pendingMs / 1000 });
        return url;
      });
    },
  );
  routes.get(
    "/api/sign-in/:provider/callback",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Finish a sign-in at an identity provider, which sends the browser here",
        tags,
        params,
        response: { 302: redirect, 404: problem },
      },
    },
    async (request, reply) => {
      const provider = findProvider(request.params.provider);
      return orFail(reply, provider, async () => {
        limits.take("sign-in", request.ip);
        const query = request.url.slice(pathOf(request.url).length + 1);
        const returnPath = await finish(request, reply, provider, query);
        return `${publicUrl}${returnPath}`;
      });
    },
  );

  function findProvider(name: string): Provider {
    const found = providers.find((provider) => provider.name === name);
    if (found) return found;
    const known = providers.map((provider) => provider.name).join(", ") || "none";
    throw new ProblemError("not_found", `There is no sign-in provider "${name}". There are: ${known}.`);
  }

  /** Sets the session cookie and returns the path of the page to show. */
  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    provider: Provider,
    query: string,
  ): Promise<string> {
    const browserToken = request.cookies[cookie];
    const [state, ...others] = new URLSearchParams(query).getAll("state");
    if (!browserToken || !state || others.length > 0) {
      throw new SignInError("sign_in_expired", "the browser has begun no sign-in, or the answer has no state");
    }
    const now = clock.now();
    const pending = await takePending(db, { provider: provider.name, browserToken, state, now });
    if (!pending) throw new SignInError("sign_in_expired", "no sign-in of this browser has this state");
    const identity = await provider.identify(query, pending.challenge);
    const { player: signedIn, sessionId, headers } = request;
    const before = signedIn && sessionId !== undefined ? { playerId: signedIn.id, sessionId } : undefined;
    const userAgent = headers["user-agent"];
    const address = addressToStore(settings, request.ip);
    const session = await signInIdentity(context, { identity, provider: provider.name, userAgent, address, before });
    setSessionCookie(reply, publicUrl, session, clock.now());
    return pending.returnPath;
  }

  /** Redirects to the URL that `run` returns, or to the sign-in page with the code of what it throws. */
  async function orFail(reply: FastifyReply, provider: Provider, run: () => Promise<string>): Promise<FastifyReply> {
    try {
      return reply.redirect(await run(), 302);
    } catch (error) {
      const code = failureOf(error);
      const fields = { provider: provider.name, code };
      if (code === "internal_error") log.error({ ...fields, error: errorText(error) }, "a sign-in failed");
      else log.info({ ...fields, reason: (error as Error).message }, "a sign-in was refused");
      return reply.redirect(`${publicUrl}/sign-in?error=${code}`, 302);
    }
  }
}

function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInError) return error.code;
  const code = error instanceof ProblemError ? error.problem.code : "";
  return signInFailures.find((one) => one === code) ?? "internal_error";
}
