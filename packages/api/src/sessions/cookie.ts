/** The cookie with the token of a session. */
import type { FastifyReply } from "fastify";
import type { NewSession } from "./store.ts";

/** A cookie with the prefix is bound to this very host and to https; without https no browser stores it. */
export function cookieName(publicUrl: string): string {
  return publicUrl.startsWith("https:") ? "__Host-berg" : "berg";
}

export function setSessionCookie(reply: FastifyReply, publicUrl: string, session: NewSession, now: number): void {
  const maxAge = Math.floor((session.expiresAt - now) / 1000);
  reply.setCookie(cookieName(publicUrl), session.token, { ...cookieOptions(publicUrl), maxAge });
}

export function clearSessionCookie(reply: FastifyReply, publicUrl: string): void {
  reply.clearCookie(cookieName(publicUrl), cookieOptions(publicUrl));
}

export function cookieOptions(publicUrl: string) {
  return { path: "/", httpOnly: true, sameSite: "lax", secure: publicUrl.startsWith("https:") } as const;
}
