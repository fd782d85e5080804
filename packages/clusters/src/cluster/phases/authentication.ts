/** What is said about signing in. */
import type { ClusterOidcConfig } from "@berg/resources";
import type { Draft } from "../draft.ts";
import { issuerProblem } from "../oidc/authentication.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

/** `isTold`: the Shoot has what is asked for. */
export function sayAuthentication(draft: Draft, oidc: ClusterOidcConfig | undefined, isTold: boolean): void {
  const type = conditionTypes.oidcConfigured;
  if (!oidc) {
    draft.say(type, { status: "False", reason: reasons.notConfigured, message: texts.notConfigured });
    return;
  }
  const problem = issuerProblem(oidc);
  if (problem !== undefined) {
    draft.say(type, { status: "False", reason: reasons.invalidIssuer, message: texts.invalidIssuer(problem) });
  } else if (isTold) {
    const message = oidc.signingAlgs ? texts.algorithmsUnused : texts.configured;
    draft.say(type, { status: "True", reason: reasons.configured, message });
  } else {
    draft.say(type, { status: "False", reason: reasons.waitingForCluster, message: texts.waitingForCluster });
  }
}
