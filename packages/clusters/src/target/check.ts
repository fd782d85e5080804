import { defineResource, type KubeObject } from "@berg/apimachinery";
import type { Client, Clock } from "@berg/kube";
import { withLimit } from "./limit.ts";
import { TargetUnavailable } from "./target.ts";
import { targetTrouble } from "./trouble.ts";
import { byocTexts, targetReasons } from "./vocabulary.ts";

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

const longestMs = 15_000;

const everything = { group: "*", resource: "*", verb: "*" };

/** The version of Kubernetes, of a server that is well and on which we may do everything. Throws TargetUnavailable. */
export async function checkServer(client: Client, clock: Clock, outer: AbortSignal): Promise<string> {
  try {
    return await withLimit(longestMs, clock, outer, (signal) => askServer(client, signal));
  } catch (error) {
    outer.throwIfAborted();
    throw targetTrouble(error);
  }
}

async function askServer(client: Client, signal: AbortSignal): Promise<string> {
  const version = versionOf(await client.raw("/version", { signal }));
  await client.raw("/readyz", { signal });
  const review = { metadata: { name: "" }, spec: { resourceAttributes: everything } };
  const { status } = await client.create(SelfSubjectAccessReviews, review, { signal });
  if (status?.allowed) return version;
  throw new TargetUnavailable(targetReasons.notAdministrator, byocTexts.notAdministrator, true);
}

/** It is shown to people as it is: nothing but a version may stand there. */
function versionOf(text: string): string {
  const found = /"gitVersion"\s*:\s*"(v[\w.+-]{1,60})"/.exec(text);
  return found?.[1] ?? "unknown";
}
