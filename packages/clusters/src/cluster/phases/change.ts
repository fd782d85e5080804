/** What is to be changed on a Shoot that is there. */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import type { Shoot } from "../../gardener/kinds.ts";
import { annotations, gardener } from "../../vocabulary.ts";
import type { Draft } from "../draft.ts";
import { authenticationNameOf } from "../names.ts";
import { type Authentication, authenticationOf } from "../oidc/authentication.ts";
import { providerOf } from "../providers/providers.ts";
import type { Seen } from "../seen.ts";
import { keptNewer } from "../shoot/kept-newer.ts";
import { isSuspended, marksOf } from "../shoot/marks.ts";
import { networkProblem, type Problem, zonesFor } from "../shoot/problem.ts";
import { withChanges } from "../shoot/with-changes.ts";
import type { Decision, ShootChange } from "../step.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import { isSignInKnown, sayAuthentication, sayTelling } from "./authentication.ts";

/** `isDone`: Gardener has finished what it was asked for. Undefined where nothing is to be changed, or may be. */
export function decideChange(seen: Seen, shoot: Stored<Shoot>, draft: Draft, isDone: boolean): Decision | undefined {
  const { cluster, facts } = seen;
  const { infrastructure, oidcConfig } = cluster.spec;
  const provider = providerOf(infrastructure?.provider ?? "");
  if (!infrastructure || !provider) return undefined;
  if (isSuspended(cluster)) {
    sayNo(draft, { reason: reasons.suspended, message: texts.suspended(annotations.suspend) });
    return undefined;
  }
  const growth = growZones(seen, draft);
  if (growth?.problem) sayNo(draft, growth.problem);
  if (growth?.decision) return growth.decision;

  const own = authenticationNameOf(shoot.metadata.name);
  const authentication = authenticationOf(oidcConfig, shoot.metadata.name);
  const refersTo = shoot.spec.kubernetes?.kubeAPIServer?.structuredAuthentication?.configMapName;
  const told = shoot.metadata.annotations?.[annotations.authenticationDigest];
  const isKnown = isSignInKnown(cluster);
  const digest = authentication?.digest;
  const isTold = told === digest && (isKnown || (facts.authentication === digest && facts.told === digest));
  const { status } = draft;
  if (authentication && !isTold) {
    if (isKnown) return { status: sayTelling(draft).status, goesOn: true };
    if (facts.authentication !== digest) return { step: { do: "writeAuthentication", authentication }, status };
  }
  // With an issuer that cannot be used, sign-in stays as it is.
  const keeps = oidcConfig && !authentication && refersTo === own ? own : undefined;
  const spec = withChanges(
    shoot.spec,
    {
      cluster,
      infrastructure,
      provider,
      zones: draft.status.zones ?? [],
      authentication: authentication?.configMapName ?? keeps,
    },
    own,
  );
  const untold = isTold ? undefined : authentication;
  const wanted: ShootChange = { spec, ...metadataOf(shoot, seen, untold, isDone) };
  if (untold || !isSame(wanted, shoot, seen.isAnswered)) return { step: { do: "changeShoot", shoot, wanted }, status };
  sayAuthentication(draft, oidcConfig, isTold);
  if (!oidcConfig && told !== undefined && !facts.authenticationIsGone)
    return isKnown
      ? { status: draft.status, goesOn: true }
      : { step: { do: "removeAuthentication" }, status: draft.status };

  if (!growth?.problem) {
    const kept = keptNewer(shoot.spec, cluster.spec);
    const message = kept.length === 0 ? texts.upToDate : texts.keepsNewer(kept);
    draft.say(conditionTypes.shootUpToDate, { status: "True", reason: reasons.upToDate, message });
  }
  return undefined;
}

/** What came of the last try. */
export function sayUnchanged(trouble: Problem, draft: Draft): void {
  sayNo(draft, trouble);
  const { reason, message } = trouble;
  if (reason === reasons.authenticationTaken)
    draft.say(conditionTypes.oidcConfigured, { status: "False", reason, message });
}

/** More zones than it has: chosen, and stored before they are used. */
function growZones(seen: Seen, draft: Draft): { decision?: Decision; problem?: Problem } | undefined {
  const { cluster, profiles } = seen;
  const { infrastructure, core } = cluster.spec;
  const zones = draft.status.zones ?? [];
  const provider = providerOf(infrastructure?.provider ?? "");
  if (!infrastructure || !provider || zones.length >= infrastructure.numberOfZones) return undefined;
  const name = core?.cloudProfile ?? provider.type;
  const profile = profiles.find(({ metadata }) => metadata.name === name);
  if (!profile) return { problem: { reason: reasons.unknownProfile, message: texts.unknownProfile(name, []) } };
  const asked = { uid: cluster.metadata.uid, region: core?.region ?? "", infrastructure, provider, zones };
  const chosen = zonesFor(asked, name, profile);
  if ("problem" in chosen) return chosen;
  const problem = networkProblem(infrastructure, provider, chosen.zones.length);
  if (problem) return { problem };
  return { decision: { status: draft.set({ zones: chosen.zones }).status, goesOn: true } };
}

function metadataOf(
  { metadata }: Stored<Shoot>,
  { cluster, facts }: Seen,
  untold: Authentication | undefined,
  isDone: boolean,
): Pick<ShootChange, "labels" | "annotations"> {
  const marks = marksOf(cluster);
  const wanted: Record<string, string> = { ...metadata.annotations, ...marks.annotations };
  if (untold) {
    wanted[annotations.authenticationDigest] = untold.digest;
    // Gardener does not look into the ConfigMap by itself.
    wanted[gardener.operation] ??= "reconcile";
  }
  if (facts.authenticationIsGone) delete wanted[annotations.authenticationDigest];
  if (isDone) delete wanted[annotations.retries];
  return { labels: { ...metadata.labels, ...marks.labels }, annotations: wanted };
}

function isSame({ spec, labels, annotations: notes }: ShootChange, shoot: Stored<Shoot>, isAnswered: boolean): boolean {
  const { metadata } = shoot;
  return (
    (isAnswered || jsonEqual(spec, shoot.spec)) &&
    jsonEqual(labels, metadata.labels ?? {}) &&
    jsonEqual(notes, metadata.annotations ?? {})
  );
}

function sayNo(draft: Draft, { reason, message }: Problem): void {
  draft.say(conditionTypes.shootUpToDate, { status: "False", reason, message });
}
