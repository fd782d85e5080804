/**
 * There is no Shoot yet. First everything that could stand in the way, so that no account is claimed for nothing; then
 * the account, the zones (stored before they are used), who may sign in, and the Shoot.
 */

import type { Cluster } from "@berg/resources";
import type { CloudProfile } from "../../gardener/kinds.ts";
import { annotations } from "../../vocabulary.ts";
import type { Draft } from "../draft.ts";
import { authenticationOf } from "../oidc/authentication.ts";
import { providerOf, providerTypes } from "../providers/providers.ts";
import type { Seen } from "../seen.ts";
import { isSuspended, mayRecreate } from "../shoot/marks.ts";
import { machineProblem, nameProblem, networkProblem, zonesFor } from "../shoot/problem.ts";
import { renderShoot } from "../shoot/render.ts";
import type { Decision } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { accountOf } from "./account.ts";
import { sayAuthentication } from "./authentication.ts";
import { lost, refused } from "./refused.ts";

export function decideWaiting(seen: Seen, draft: Draft): Decision {
  const { cluster, shootName, subscription, facts } = seen;
  const { core, infrastructure } = cluster.spec;
  if (cluster.status?.shootRef && !mayRecreate(cluster)) return decideLost(seen, draft);

  const provider = providerOf(infrastructure?.provider ?? "");
  if (!provider || !infrastructure)
    return refused(draft, {
      reason: reasons.unknownProvider,
      message: texts.unknownProvider(infrastructure?.provider ?? "", providerTypes),
    });
  const profileName = core?.cloudProfile ?? provider.type;
  const profile = seen.profiles.find(({ metadata }) => metadata.name === profileName);
  if (!profile)
    return refused(draft, {
      reason: reasons.unknownProfile,
      message: texts.unknownProfile(
        profileName,
        seen.profiles.filter(({ spec }) => spec.type === provider.type).map(({ metadata }) => metadata.name),
      ),
    });
  const asked = {
    uid: cluster.metadata.uid,
    region: core?.region ?? "",
    infrastructure,
    provider,
    zones: zonesToKeep(cluster, profile),
  };
  const chosen = zonesFor(asked, profileName, profile);
  if ("problem" in chosen) return refused(draft, chosen.problem);
  const { zones } = chosen;
  const problem =
    nameProblem(shootName, seen.project) ??
    networkProblem(infrastructure, provider, zones.length) ??
    machineProblem(infrastructure.machineType, profileName, profile);
  if (problem) return refused(draft, problem);

  draft.in("Pending");
  if (!subscription) {
    sayNotYet(draft, reasons.waiting, texts.waiting);
    return { step: { do: "requestSubscription" }, status: draft.status };
  }
  const { binding, finding } = accountOf(subscription, cluster);
  draft.say(conditionTypes.subscriptionReady, finding);
  if (!binding) {
    sayNotYet(draft, reasons.waiting, finding.message);
    return { status: draft.status };
  }
  if (isSuspended(cluster)) {
    sayNotYet(draft, reasons.suspended, texts.suspended(annotations.suspend));
    return { status: draft.status };
  }
  sayNotYet(draft, reasons.creating, texts.creating);
  const authentication = authenticationOf(cluster.spec.oidcConfig, shootName);
  sayAuthentication(draft, cluster.spec.oidcConfig, false);
  if (!sameTexts(zones, cluster.status?.zones)) return { status: draft.set({ zones }).status, goesOn: true };
  const { status } = draft;
  if (!facts.shootIsGone) return { step: { do: "findShoot" }, status };
  if (authentication && facts.authentication !== authentication.digest)
    return { step: { do: "writeAuthentication", authentication }, status };
  const wanted = { cluster, infrastructure, provider, zones, authentication: authentication?.configMapName };
  return { step: { do: "createShoot", spec: renderShoot(wanted, binding), digest: authentication?.digest }, status };
}

/** Where nothing stands in those that were stored, the spec may have changed since: what it names counts. */
function zonesToKeep({ spec: { core, infrastructure }, status }: Cluster, profile: CloudProfile): readonly string[] {
  const stored = status?.zones ?? [];
  if (status?.shootRef) return stored;
  if (infrastructure?.zones) return [];
  const region = profile.spec.regions.find(({ name }) => name === core?.region);
  const isOffered = (zone: string) => region?.zones?.some(({ name }) => name === zone) ?? false;
  return stored.filter(isOffered).slice(0, infrastructure?.numberOfZones);
}

/** Asked once; after that the copy's word is enough. */
function decideLost(seen: Seen, draft: Draft): Decision {
  const { cluster, facts } = seen;
  const isSaid = cluster.status?.conditions?.some(
    ({ type, reason }) => type === conditionTypes.clusterProvisioned && reason === reasons.shootMissing,
  );
  if (isSaid || facts.shootIsGone) return lost(seen, draft);
  return { step: { do: "findShoot" }, status: draft.status };
}

function sayNotYet(draft: Draft, reason: string, message: string): void {
  const finding = { status: "False", reason, message } as const;
  draft.say(conditionTypes.shootCreated, finding).say(conditionTypes.clusterProvisioned, finding);
}

function sameTexts(one: readonly string[], other: readonly string[] | undefined): boolean {
  return one.length === other?.length && one.every((text, at) => text === other[at]);
}
