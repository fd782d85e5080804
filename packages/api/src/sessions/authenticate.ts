/**
 * Who asks: the session in the cookie, or the API key of an `Authorization: Bearer` header. Browsers send the cookie with
 * every request to our host, also with those that other sites make them send, so such a request that changes something
 * must come from our own pages: its Origin is compared. A key is never sent by itself, so it needs no Origin.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiContext } from "../context.ts";
import { findPlayerByKey, type Player, type Role } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { findSession } from "./store.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined: anonymous. */
    player: Player | undefined;
    usesApiKey: boolean;
  }
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** A cookie with the prefix is bound to this very host and to https; without https no browser stores it. */
export function cookieName(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-berg" : "berg";
}

export function addAuthentication(app: FastifyInstance, context: ApiContext): void {
  const { db, clock, settings } = context;
  const name = cookieName(settings.publicUrl);
  app.decorateRequest("player", undefined);
  app.decorateRequest("usesApiKey", false);
  app.addHook("onRequest", async (request) => {
    // By the route and not by the URL, in which `/%61pi/` is the same path.
    if (!isOfApi(request)) return;
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      request.usesApiKey = true;
      const key = /^Bearer ([0-9a-f]{64})$/i.exec(authorization)?.[1];
      const player = key === undefined ? undefined : await findPlayerByKey(db, key);
      // A key of staff that names no scopes can do what a player can.
      request.player = player && { ...player, roles: player.roles.filter((role) => role === "player") };
      return;
    }
    if (!safeMethods.has(request.method)) requireOwnOrigin(request, settings.publicUrl);
    const token = request.cookies[name];
    if (token !== undefined) request.player = (await findSession(db, token, clock.now()))?.player;
  });
}

/** Whether the request is for a route of the API. The pages load without the database. */
export function isOfApi({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url?.startsWith("/api/") ?? false;
}

export async function requireReader(_request: FastifyRequest): Promise<void> {}

export function requirePlayer({ player }: FastifyRequest): Player {
  if (player) return player;
  throw new ProblemError("sign_in_required", "Open the sign-in link that the organiser gave you, or send an API key.");
}

export function requireRole(request: FastifyRequest, role: Role): Player {
  const player = requirePlayer(request);
  if (player.roles.includes(role)) return player;
  throw new ProblemError("role_required", `This requires the role ${role}.`);
}

function requireOwnOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  if (headers.origin === publicUrl) return;
  throw new ProblemError("origin_refused", `Send it with the header "Origin: ${publicUrl}", as our own pages do.`);
}
