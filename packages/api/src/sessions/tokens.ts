/** Random tokens of sign-in links and sessions. Only their hash is stored: a leaked database does not allow a sign-in. */
import { hash, randomBytes } from "node:crypto";

/** 256 bits, 43 characters that need no escaping in a URL or a cookie. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** A token is random enough that no salt or slow hash is needed. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}
