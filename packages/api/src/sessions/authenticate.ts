/**
 * Who asks: the session in the cookie, or the API key of an `Authorization: Bearer` header. Browsers send the cookie with
 * every request to our host, also with those that other sites make them send, so such a request that changes something
 * must come from our own pages: its Origin is compared. A key is never sent by itself, so it needs no Origin.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { allowsAnonymousReading } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { Player, Role } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { cookieName } from "./cookie.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined: anonymous. With an API key, it has the roles of the key. */
    player: Player | undefined;
    /** The session of the cookie. Undefined: anonymous, or with an API key. */
    sessionId: string | undefined;
    usesApiKey: boolean;
    /** Whether everybody may read what players can. */
    allowsAnonymousReading(): boolean;
  }
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

export function addAuthentication(app: FastifyInstance, context: ApiContext): void {
  const { sessions, settings } = context;
  const name = cookieName(settings.publicUrl);
  app.decorateRequest("player", undefined);
  app.decorateRequest("sessionId", undefined);
  app.decorateRequest("usesApiKey", false);
  app.decorateRequest("allowsAnonymousReading", () => allowsAnonymousReading(context.competition()));
  /** A promise only where the database has to be read. */
  const authenticate = (request: FastifyRequest): void | Promise<void> => {
    // By the route and not by the URL, in which `/%61pi/` is the same path.
    if (!isOfApi(request)) return;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      request.usesApiKey = true;
      const key = bearerKey(authorization);
      if (key === undefined) return;
      return whenRead(sessions.ownerOfKey(key), (player) => {
        request.player = player;
      });
    }
    if (!safeMethods.has(request.method)) requireOwnOrigin(request, settings.publicUrl);
    const token = request.cookies[name];
    if (token === undefined) return;
    return whenRead(sessions.session(token), (session) => {
      request.player = session?.player;
      request.sessionId = session?.id;
    });
  };
  // With a callback: a promise for each hook of each request is measurable.
  app.addHook("onRequest", (request, _, done) => {
    let read: void | Promise<void>;
    try {
      read = authenticate(request);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (read instanceof Promise) read.then(() => done(), done);
    else done();
  });
}

function whenRead<T>(value: T | Promise<T | undefined>, use: (value: T | undefined) => void): void | Promise<void> {
  if (value instanceof Promise) return value.then(use);
  use(value);
}

/** The API key in an Authorization header; undefined where it has another form. */
export function bearerKey(authorization: string): string | undefined {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  return token !== undefined && isKey(token) ? token.toLowerCase() : undefined;
}

export function isKey(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}

/** Whether the request is for a route of the API. The pages load without the database. */
export function isOfApi({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith("/api/") ?? false;
}

/**
 * For what everybody may read unless the organiser shows challenges to players only, as `preHandler: requireReader`. A
 * key or session that is not valid counts as none.
 */
export function requireReader(request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void {
  if (request.player === undefined && !request.allowsAnonymousReading()) done(signInRequired());
  else done();
}

export function requirePlayer({ player }: FastifyRequest): Player {
  if (player) return player;
  throw signInRequired();
}

function signInRequired(): ProblemError {
  return new ProblemError("sign_in_required", "Open the sign-in link that the organiser gave you, or send an API key.");
}

export function requireRole(request: FastifyRequest, role: Role): Player {
  const player = requirePlayer(request);
  if (player.roles.includes(role)) return player;
  throw new ProblemError("role_required", `This requires the role ${role}.`);
}

/** For what a lost key must not allow: to lock its owner out, or to stay after it was replaced. */
export function requireBrowser(request: FastifyRequest): Player {
  const player = requirePlayer(request);
  if (!request.usesApiKey) return player;
  throw new ProblemError("api_key_refused", "An API key cannot do this. Sign in with your browser.");
}

/** For what sets a cookie: another site must not sign a browser in, whatever it sends along. */
export function requireOwnOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  if (headers.origin === publicUrl) return;
  throw new ProblemError("origin_refused", `Send it with the header "Origin: ${publicUrl}", as our own pages do.`);
}
