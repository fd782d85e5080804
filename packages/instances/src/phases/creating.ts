/**
 * Everything that belongs to the instance, compared with what is there. What is missing or was changed is made as it was
 * recorded: the same in every phase, so that this is also how a running instance is repaired.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { ControllerRevisions, Deployments, Secrets } from "@berg/kube";
import type { InstanceService } from "@berg/resources";
import { addresses } from "../builders/addresses.ts";
import type { Blueprint, Child } from "../builders/blueprint.ts";
import { endpointEnv, publicServices } from "../builders/endpoints.ts";
import { foundation } from "../builders/foundation.ts";
import { namespaceChild } from "../builders/namespace.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import { workloads } from "../builders/workloads.ts";
import { askForKindsMs, missingKinds } from "../observe/kinds.ts";
import { currentRevision, recordedBlueprint } from "../observe/record.ts";
import { childKey, type Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import { sayCreated } from "./created.ts";
import type { Effect } from "./decision.ts";
import type { StatusDraft } from "./draft.ts";
import { isRecordedPullSecret, type Lack, lackOf } from "./lacking.ts";
import { Lately } from "./lately.ts";
import { nodePorts, withToldNumbers } from "./node-ports.ts";
import { isRestart } from "./restart.ts";
import { ownNamespace } from "./take-down.ts";

export interface Creation {
  /** Empty when everything is there, or nothing more can be made. */
  effects: Effect[];
  /** Asked for only where they are shown. */
  services(): InstanceService[];
  /** It waits for what is lacking, and the status says so: there are no pods whose health could be told. */
  isHeld?: boolean;
  dueAt?: number | undefined;
}

export function creating(seen: Snapshot, draft: StatusDraft, settings: Settings): Creation {
  const blueprint = recordedBlueprint(seen, settings);
  if (!blueprint) return revisionLost(seen, draft);

  // All of it before the first is made: what cannot be built leaves nothing behind.
  const stages = stagesOf(seen, blueprint);
  const services = () => publicServices(blueprint, nodePorts(seen));
  const record = recordToMake(seen, settings);
  if (record.length > 0) return { effects: record, services };
  // No pod before its network policy, its flag and its limits.
  for (const stage of stages) {
    const effects = toMake(seen, blueprint, stage);
    // One that has been ready had all of it when it began.
    const lack = draft.status.readyAt === undefined && effects.some(beginsPods) && lackOf(seen, blueprint, settings);
    if (lack) return held(seen, draft, lack, services);
    if (effects.length > 0) return { effects, services };
  }
  const missing = missingKinds(blueprint.workload, blueprint.settings, seen.kinds);
  for (const { condition, message } of missing) draft.condition(condition, "False", reasons.kindMissing, message);
  const unmade = new Set(missing.map(({ condition }) => condition));
  sayCreated(draft, stages.flat(), unmade);
  return { effects: [], services, dueAt: missing.length > 0 ? seen.now + askForKindsMs : undefined };
}

function beginsPods(effect: Effect): boolean {
  return effect.do === "make" && effect.child.type.kind === Deployments.kind && !effect.found;
}

function held({ now }: Snapshot, draft: StatusDraft, lack: Lack, services: Creation["services"]): Creation {
  const { condition, reason, message } = lack;
  draft.condition(condition, "False", reason, message);
  draft.enterBecause(draft.makingPhase, reason, message);
  const dueAt = reason === reasons.kindMissing ? now + askForKindsMs : undefined;
  return { effects: [], services, isHeld: true, dueAt };
}

/** What is made after what. */
export function stagesOf(seen: Snapshot, blueprint: Blueprint): Child[][] {
  const { instance, challenge, workload, settings } = blueprint;
  const kinds = [...seen.kinds].map(([kind, { version }]) => `${kind}/${version}`).join();
  const { instanceId, ownerId, flag, restarts, uid } = instance;
  const inputs = [instanceId, ownerId, flag, restarts, challenge.name, challenge.namespace, workload, settings];
  return lately.of(uid, [...inputs, seen.pullSecret, kinds], () => [
    [namespaceChild(blueprint)],
    foundationOf(seen, blueprint),
    [...workloads(blueprint, endpointEnv(blueprint)), ...addressesOf(seen, blueprint)],
  ]);
}

/** An instance that starts is looked at twenty times in a second or two; one that runs, hardly ever. */
const lately = new Lately<Child[][]>(64);

/** Nothing is repaired any more, and nothing is torn down: players may be at work in it. */
function revisionLost({ instance }: Snapshot, draft: StatusDraft): Creation {
  const { revision } = instance.status ?? {};
  const record = revision ? `The ControllerRevision ${revision}` : "The record of what this instance runs";
  draft.condition(
    conditionTypes.deploymentsCreated,
    "Unknown",
    reasons.revisionLost,
    `${record} is gone and the Challenge has changed since: what is deleted or edited by hand cannot be put back. Start a new instance.`,
  );
  return { effects: [], services: () => instance.status?.services ?? [] };
}

/** The record goes first: once something runs, nobody asks the Challenge any more. */
function recordToMake(seen: Snapshot, settings: Settings): Effect[] {
  const manifest = seen.revision ? undefined : currentRevision(seen, settings);
  if (!manifest) return [];
  const { namespace = "" } = seen.instance.metadata;
  const child = { type: ControllerRevisions, manifest: { ...manifest, metadata: { ...manifest.metadata, namespace } } };
  return [{ do: "make", child }];
}

/**
 * A kind that the cluster lacks is left out: the condition says so, and everything else is looked after. So is the pull
 * secret where it is not the one that the pods name: the copy that was made stays as it is.
 */
function foundationOf({ kinds, pullSecret }: Snapshot, blueprint: Blueprint): Child[] {
  const source = isRecordedPullSecret(blueprint, pullSecret) ? pullSecret : undefined;
  return foundation(blueprint, source).filter(({ type }) => kinds.has(type.kind));
}

function addressesOf({ kinds }: Snapshot, blueprint: Blueprint): Child[] {
  const routeTypes = {
    httpRoute: kinds.get(HTTPRoutes.kind) ?? HTTPRoutes,
    tlsRoute: kinds.get(TLSRoutes.kind) ?? TLSRoutes,
  };
  return addresses(blueprint, routeTypes).filter(({ type }) => kinds.has(type.kind));
}

function toMake(seen: Snapshot, blueprint: Blueprint, children: Child[]): Effect[] {
  return children.flatMap((child): Effect[] => {
    const found = foundFor(seen, child);
    if (!found) return [{ do: "make", child: withToldNumbers(seen, blueprint, child) }];
    if (seen.isAsWanted(child, found)) return [];
    const changesByItself = isPullSecret(child, blueprint) || isRestart(seen, child);
    const wasEdited = seen.wasAsWanted(found) && !changesByItself;
    return [{ do: "make", child, found, wasEdited }];
  });
}

/** Changes while an instance runs: the organiser renews what is in it. */
function isPullSecret({ type, manifest }: Child, { settings }: Blueprint): boolean {
  return type.kind === Secrets.kind && manifest.metadata.name === settings.pullSecretName;
}

function foundFor(seen: Snapshot, { type, manifest }: Child): Stored<KubeObject> | undefined {
  if (type.kind === "Namespace") return ownNamespace(seen);
  return seen.children.get(childKey(type.kind, manifest.metadata.name));
}
