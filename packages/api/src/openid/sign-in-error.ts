/** Why a sign-in at a provider fails, as a code for the sign-in page and a reason for the log. */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import type { SignInFailure } from "../wire.ts";

export class SignInError extends Error {
  readonly code: SignInFailure;

  /** `reason` is for the log. It is never a text of the provider, nor a token or a code. */
  constructor(code: SignInFailure, reason: string) {
    super(reason);
    this.name = "SignInError";
    this.code = code;
  }
}

/** What openid-client throws. Its own messages are constants; texts of the provider are in fields that are not read. */
export function signInErrorOf(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof AuthorizationResponseError) {
    return new SignInError(failureOf(error.error), `the provider answered ${errorCode(error.error)}`);
  }
  if (error instanceof ResponseBodyError) {
    const code = error.status >= 500 ? "provider_unavailable" : "sign_in_refused";
    return new SignInError(code, `a request was answered with ${error.status} ${errorCode(error.error)}`);
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new SignInError("sign_in_refused", `a request was answered with ${error.status}`);
  }
  if (error instanceof ClientError) {
    const status = error.cause instanceof Response ? error.cause.status : undefined;
    const isAway = error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT" || (status ?? 0) >= 500;
    const reason = [error.message, error.code, status].filter((part) => part !== undefined).join(", ");
    return new SignInError(isAway || status === 429 ? "provider_unavailable" : "sign_in_refused", reason);
  }
  // `fetch` throws these where there is no answer, or only a part of it.
  if (error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message)) {
    const { code = "no answer" } = (error.cause ?? {}) as NodeJS.ErrnoException;
    return new SignInError("provider_unavailable", `it cannot be reached: ${code}`);
  }
  throw error;
}

/** By the error codes of RFC 6749, section 4.1.2.1. */
function failureOf(error: string): SignInFailure {
  switch (error) {
    case "access_denied":
      return "sign_in_cancelled";
    case "server_error":
    case "temporarily_unavailable":
      return "provider_unavailable";
    default:
      return "sign_in_refused";
  }
}

/** Anything can be in there: the browser sends it. */
function errorCode(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : "an unknown error";
}
