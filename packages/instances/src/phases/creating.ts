/**
 * Everything that belongs to the instance, compared with what is there. What is missing or was changed is made as it was
 * recorded: the same in every phase, so that this is also how a running instance is repaired.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { ControllerRevisions, findCondition } from "@berg/kube";
import type { InstanceService } from "@berg/resources";
import type { Blueprint, Child } from "../builders/blueprint.ts";
import { endpointEnv, publicServices } from "../builders/endpoints.ts";
import { foundation } from "../builders/foundation.ts";
import { namespaceChild } from "../builders/namespace.ts";
import { HTTPRoutes, TLSRoutes } from "../builders/route-types.ts";
import { workloads } from "../builders/workloads.ts";
import { childKey, type Snapshot } from "../observe/snapshot.ts";
import type { Settings } from "../settings/settings.ts";
import { type ConditionType, conditionTypes, reasons } from "../vocabulary.ts";
import type { Effect } from "./decision.ts";
import type { StatusDraft } from "./draft.ts";
import { missingKinds } from "./kinds.ts";
import { Lately } from "./lately.ts";
import { nodePorts, withToldNumbers } from "./node-ports.ts";
import { currentRevision, recordedBlueprint } from "./record.ts";
import { ownNamespace } from "./take-down.ts";

/** How often the cluster is asked whether a kind has been installed. */
const askForKindsMs = 15_000;

export interface Creation {
  /** Empty when everything is there. */
  effects: Effect[];
  services: InstanceService[];
  dueAt?: number | undefined;
}

export function creating(seen: Snapshot, draft: StatusDraft, settings: Settings): Creation {
  const blueprint = recordedBlueprint(seen, settings);
  if (!blueprint) return revisionLost(seen, draft);

  // All of it before the first is made: what cannot be built leaves nothing behind.
  const stages = stagesOf(seen, blueprint);
  const { services } = publicServices(blueprint, nodePorts(seen));
  const record = recordToMake(seen, settings);
  if (record.length > 0) return { effects: record, services };
  // No pod before its network policy, its flag and its limits.
  for (const stage of stages) {
    const effects = toMake(seen, blueprint, stage);
    if (effects.length > 0) return { effects, services };
  }
  sayCreated(seen, draft, stages.flat());
  const missing = missingKinds(blueprint.workload, blueprint.settings, seen.kinds);
  for (const { condition, message } of missing) draft.condition(condition, "False", reasons.kindMissing, message);
  return { effects: [], services, dueAt: missing.length > 0 ? seen.now + askForKindsMs : undefined };
}

/** What is made after what. */
export function stagesOf(seen: Snapshot, blueprint: Blueprint): Child[][] {
  const { instance, challenge, workload, settings } = blueprint;
  const kinds = [...seen.kinds].map(([kind, { version }]) => `${kind}/${version}`).join();
  const { instanceId, ownerId, flag, uid } = instance;
  const inputs = [instanceId, ownerId, flag, challenge.name, challenge.namespace, workload, settings];
  return lately.of(uid, [...inputs, seen.pullSecret, kinds], () => [
    [namespaceChild(blueprint)],
    foundationOf(seen, blueprint),
    workloads(blueprint, endpointEnv(blueprint)),
  ]);
}

/** An instance that starts is looked at twenty times in a second or two; one that runs, hardly ever. */
const lately = new Lately<Child[][]>(64);

/** Nothing is repaired any more, and nothing is torn down: players may be at work in it. */
function revisionLost({ instance }: Snapshot, draft: StatusDraft): Creation {
  draft.condition(
    conditionTypes.deploymentsCreated,
    "Unknown",
    reasons.revisionLost,
    `The ControllerRevision ${instance.status?.revision} is gone and the Challenge has changed since: what is deleted or edited by hand cannot be put back. Start a new instance.`,
  );
  return { effects: [], services: instance.status?.services ?? [] };
}

/** The record goes first: once something runs, nobody asks the Challenge any more. */
function recordToMake(seen: Snapshot, settings: Settings): Effect[] {
  const manifest = seen.revision ? undefined : currentRevision(seen, settings);
  if (!manifest) return [];
  const { namespace = "" } = seen.instance.metadata;
  const child = { type: ControllerRevisions, manifest: { ...manifest, metadata: { ...manifest.metadata, namespace } } };
  return [{ do: "make", child }];
}

/** A kind that the cluster lacks is left out: the condition says so, and everything else is looked after. */
function foundationOf({ kinds, pullSecret }: Snapshot, blueprint: Blueprint): Child[] {
  const routeTypes = {
    httpRoute: kinds.get(HTTPRoutes.kind) ?? HTTPRoutes,
    tlsRoute: kinds.get(TLSRoutes.kind) ?? TLSRoutes,
  };
  return foundation(blueprint, routeTypes, pullSecret).filter(({ type }) => kinds.has(type.kind));
}

function toMake(seen: Snapshot, blueprint: Blueprint, children: Child[]): Effect[] {
  return children.flatMap((child): Effect[] => {
    const found = foundFor(seen, child);
    if (!found) return [{ do: "make", child: withToldNumbers(seen, blueprint, child) }];
    return seen.isAsWanted(child, found) ? [] : [{ do: "make", child, found }];
  });
}

function foundFor(seen: Snapshot, { type, manifest }: Child): Stored<KubeObject> | undefined {
  if (type.kind === "Namespace") return ownNamespace(seen);
  return seen.children.get(childKey(type.kind, manifest.metadata.name));
}

/** Which condition speaks for which kind; everything else is said with the Deployments. */
export function conditionOf(kind: string): ConditionType {
  return conditionByKind[kind] ?? conditionTypes.deploymentsCreated;
}

const conditionByKind: Record<string, ConditionType> = {
  Namespace: conditionTypes.namespaceCreated,
  NetworkPolicy: conditionTypes.networkPolicyCreated,
  CiliumNetworkPolicy: conditionTypes.networkPolicyCreated,
  Service: conditionTypes.servicesCreated,
  HTTPRoute: conditionTypes.routesCreated,
  TLSRoute: conditionTypes.routesCreated,
};

function sayCreated(seen: Snapshot, draft: StatusDraft, children: Child[]): void {
  for (const { type, created, notNeeded } of createdTexts) {
    const isUsed = children.some((child) => conditionOf(child.type.kind) === type);
    if (isUsed) draft.condition(type, "True", reasons.created, created);
    else draft.condition(type, "True", reasons.notNeeded, notNeeded);
  }
  const refused = routesNotAccepted(seen);
  if (refused) draft.condition(conditionTypes.routesCreated, "True", reasons.routeNotAccepted, refused);
}

const createdTexts: { type: ConditionType; created: string; notNeeded: string }[] = [
  { type: conditionTypes.namespaceCreated, created: "The namespace is there.", notNeeded: "" },
  {
    type: conditionTypes.networkPolicyCreated,
    created: "The network policy is there.",
    notNeeded: "The organiser has turned network policies off (NETWORK_POLICY=none).",
  },
  {
    type: conditionTypes.servicesCreated,
    created: "All Services are there.",
    notNeeded: "No container has a port, so no Service is needed.",
  },
  {
    type: conditionTypes.routesCreated,
    created: "All routes are there.",
    notNeeded: "No port asks for a route.",
  },
  { type: conditionTypes.deploymentsCreated, created: "All Deployments are there.", notNeeded: "" },
];

/** A route may be there and lead nowhere: its gateway says so, in the route's status. */
function routesNotAccepted({ children }: Snapshot): string | undefined {
  const texts = [...children.values()].flatMap(({ kind, metadata, ...route }) => {
    if (conditionOf(kind) !== conditionTypes.routesCreated) return [];
    const { parents = [] } = (route as { status?: RouteStatus }).status ?? {};
    return parents.flatMap(({ conditions }) => {
      const accepted = findCondition(conditions, "Accepted");
      return accepted?.status === "False" ? `${kind} ${metadata.name}: ${accepted.message || accepted.reason}` : [];
    });
  });
  return texts.length === 0 ? undefined : `The gateway does not accept: ${texts.sort().join("; ")}`;
}

interface RouteStatus {
  parents?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] }[];
}
