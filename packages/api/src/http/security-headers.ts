/**
 * Headers that limit what a browser does with our answers, whatever an author or player got into them. Written by hand: a
 * library for it has more options than these are lines.
 */
import type { FastifyInstance } from "fastify";
import { isOfApi } from "../sessions/authenticate.ts";

const contentSecurityPolicy = [
  "default-src 'self'",
  // Authors put pictures into descriptions.
  "img-src 'self' data: https:",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

export const securityHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Other sites do not learn where a player came from. Not `no-referrer`: with it a form sends us `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(securityHeaders);
    // Answers of the API depend on who asks.
    if (isOfApi(request)) reply.header("cache-control", "no-store");
    done();
  });
}
