import { isForbidden, isUnauthorized, StatusError } from "@berg/apimachinery";
import { ConnectionError } from "@berg/kube";
import { AddressRefused } from "./address/lookup.ts";
import { TargetUnavailable } from "./target.ts";
import { answerTexts, byocTexts, targetReasons } from "./vocabulary.ts";

/**
 * What a call to a target failed with, where the target is what is wrong: away, untrusted, not ours. Throws everything
 * else: what it says about an object (404, 409, 422), a mistake of ours, the end of the reconcile.
 */
export function targetTrouble(error: unknown): TargetUnavailable {
  if (error instanceof TargetUnavailable) return error;
  if (error instanceof ConnectionError) return connectionTrouble(error.cause);
  if (!(error instanceof StatusError)) throw error;
  if (isUnauthorized(error)) return new TargetUnavailable(targetReasons.unauthorized, answerTexts.unauthorized, true);
  if (isForbidden(error)) return new TargetUnavailable(targetReasons.forbidden, answerTexts.forbidden, true);
  if (error.code !== 429 && error.code < 500) throw error;
  return new TargetUnavailable(targetReasons.failing, answerTexts.failing(error.code), true);
}

function connectionTrouble(cause: unknown): TargetUnavailable {
  if (cause instanceof AddressRefused) {
    return new TargetUnavailable(targetReasons.addressRefused, byocTexts.address, false);
  }
  const code = codeOf(cause);
  if (/CERT|SIGNATURE|TLS_/.test(code)) {
    return new TargetUnavailable(targetReasons.untrusted, answerTexts.untrusted(code), true);
  }
  return new TargetUnavailable(targetReasons.unreachable, answerTexts.unreachable(code), true);
}

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}
