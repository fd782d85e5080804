import { isForbidden, isUnauthorized, StatusError } from "@berg/apimachinery";
import { ConnectionError, LeadershipLost } from "@berg/kube";
import { AddressRefused } from "./address/lookup.ts";
import { TargetUnavailable } from "./target.ts";
import { answerTexts, byocTexts, targetReasons } from "./vocabulary.ts";

/**
 * What calls to a target failed with. Whatever they did not expect is the target's doing, too: anybody may have brought it
 * along, and it may answer with a page or with `{}`. Not its doing is the end of our lease, which is thrown.
 */
export function targetTrouble(error: unknown): TargetUnavailable {
  if (error instanceof TargetUnavailable) return error;
  if (error instanceof ConnectionError) return connectionTrouble(error.cause);
  if (error instanceof LeadershipLost) throw error;
  if (!(error instanceof StatusError))
    return new TargetUnavailable(targetReasons.failing, answerTexts.failing("its answer makes no sense"), true);
  if (isUnauthorized(error)) return new TargetUnavailable(targetReasons.unauthorized, answerTexts.unauthorized, true);
  if (isForbidden(error)) return new TargetUnavailable(targetReasons.forbidden, answerTexts.forbidden, true);
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
