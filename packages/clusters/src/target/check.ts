import { defineResource, type KubeObject, StatusError } from "@berg/apimachinery";
import type { Client, Clock } from "@berg/kube";
import { TargetUnavailable } from "./target.ts";
import { targetTrouble } from "./trouble.ts";
import { answerTexts, byocTexts, targetReasons } from "./vocabulary.ts";

interface SelfSubjectAccessReview extends KubeObject {
  spec: { resourceAttributes: { group: string; resource: string; verb: string } };
  status?: { allowed?: boolean };
}

const SelfSubjectAccessReviews = defineResource<SelfSubjectAccessReview>({
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
});

/** A server that keeps everybody waiting holds up those of others, who wait for the same workers. */
const longestMs = 15_000;

const everything = { group: "*", resource: "*", verb: "*" };

/** The version of Kubernetes, of a server that is well and on which we may do everything. Throws TargetUnavailable. */
export async function checkServer(client: Client, clock: Clock, outer: AbortSignal): Promise<string> {
  const limit = new AbortController();
  const tooSlow = new TargetUnavailable(targetReasons.unreachable, answerTexts.unreachable("no answer in 15 s"), true);
  const timer = clock.setTimer(longestMs, () => limit.abort(tooSlow));
  const signal = AbortSignal.any([outer, limit.signal]);
  try {
    const version = versionOf(await client.raw("/version", { signal }));
    await client.raw("/readyz", { signal });
    const review = { metadata: { name: "" }, spec: { resourceAttributes: everything } };
    const { status } = await client.create(SelfSubjectAccessReviews, review, { signal });
    if (status?.allowed) return version;
  } catch (error) {
    if (error instanceof StatusError && error.code < 500 && ![401, 403, 429].includes(error.code)) {
      throw new TargetUnavailable(targetReasons.failing, answerTexts.failing(error.code), true);
    }
    throw targetTrouble(error);
  } finally {
    timer.cancel();
  }
  throw new TargetUnavailable(targetReasons.notAdministrator, byocTexts.notAdministrator, true);
}

/** It is shown to people as it is: nothing but a version may stand there. */
function versionOf(text: string): string {
  const found = /"gitVersion"\s*:\s*"(v[\w.+-]{1,60})"/.exec(text);
  return found?.[1] ?? "unknown";
}
