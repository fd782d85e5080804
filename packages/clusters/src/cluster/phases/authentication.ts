/** The condition OIDCConfigured. */
import type { Cluster, ClusterOidcConfig } from "@berg/resources";
import { conditionOf, type Draft } from "../draft.ts";
import { issuerProblem, userNamePattern } from "../oidc/authentication.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";

/** `isTold`: the Shoot refers to the configuration that the spec asks for. */
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
    const configured = texts.configured(userNamePattern(oidc));
    const message = oidc.signingAlgs ? `${configured}. ${texts.algorithmsUnused}` : configured;
    draft.say(type, { status: "True", reason: reasons.configured, message });
  } else {
    draft.say(type, { status: "False", reason: reasons.waitingForCluster, message: texts.waitingForCluster });
  }
}

/** Whether the ConfigMap is what the Shoot was told of last: where that was said, or it was made with it and no more came. */
export function isSignInKnown(cluster: Cluster): boolean {
  const { status, reason } = conditionOf(cluster, conditionTypes.oidcConfigured) ?? {};
  return status === "True" || reason === reasons.waitingForCluster;
}

/** To be stored before either is written: whatever comes between the two, the next look writes both. */
export function sayTelling(draft: Draft): Draft {
  const finding = { status: "False", reason: reasons.configuring, message: texts.telling } as const;
  return draft.say(conditionTypes.oidcConfigured, finding);
}
