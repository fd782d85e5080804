/**
 * Whether the gateways accept the routes of an instance, by the status that the gateway's controller writes on each route
 * (Gateway API, `status.parents`). Until they do, players get 404, 500 or no connection at all.
 */
import { parseTime, type Stored } from "@berg/apimachinery";
import { findCondition } from "@berg/kube";
import type { Route } from "../builders/routes.ts";
import { onOurClock, type Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";
import { conditionOf } from "./created.ts";

/** How long a gateway may take to accept a route. A healthy one takes less than a second. */
const acceptanceMs = 5_000;

export interface RouteProblem {
  /** Which routes lead nowhere, and why: for the organiser, and for the player. Undefined: only not programmed yet. */
  message: string | undefined;
  /** Until then the gateway may still accept them: ms since 1970. */
  until: number;
}

/**
 * Undefined where each route is accepted (`Accepted`) and leads to its Service (`ResolvedRefs`).
 *
 * Before the instance runs, only an answer for the current generation of the route counts. Later the last answer counts:
 * a route that we restore is not reported while its gateway reads it again. Gateways that say so in `Programmed`, as the
 * one of `berg up` does, are also waited for until they know the pods; how those are later is for `podHealth` to say.
 */
export function routeProblem(seen: Snapshot): RouteProblem | undefined {
  const isRunning = seen.instance.status?.readyAt !== undefined;
  const problems = routesOf(seen).flatMap((route) => {
    const problem = problemOf(route, isRunning);
    return problem === undefined ? [] : { problem, createdAt: onOurClock(seen, route.metadata.creationTimestamp) };
  });
  if (problems.length === 0) return undefined;
  const texts = problems.map(({ problem }) => problem).filter((text) => text !== "");
  const since = isRunning ? Math.max(...problems.map(({ createdAt }) => createdAt)) : podsReadySince(seen);
  return {
    message: texts.length === 0 ? undefined : `Players cannot reach it yet. ${texts.join(" ")}`,
    until: isReported(seen) ? seen.now : since + acceptanceMs,
  };
}

function isReported({ instance }: Snapshot): boolean {
  const routes = findCondition(instance.status?.conditions, conditionTypes.routesCreated);
  return routes?.reason === reasons.routeNotAccepted;
}

/** When the status first said that all containers are ready; now, where it does not say so yet. */
function podsReadySince({ instance, now }: Snapshot): number {
  const ready = findCondition(instance.status?.conditions, conditionTypes.podsReady);
  return ready?.status === "True" && ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : now;
}

type StoredRoute = Stored<Route> & { status?: { parents?: ParentStatus[] } };
type ParentReference = Route["spec"]["parentRefs"][number];

interface ParentStatus {
  parentRef?: Partial<ParentReference>;
  conditions?: AnswerCondition[];
}

interface AnswerCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
}

function routesOf({ children }: Snapshot): StoredRoute[] {
  const routes = [...children.values()].filter(({ kind }) => conditionOf(kind) === conditionTypes.routesCreated);
  return (routes as StoredRoute[]).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function nameOf({ kind, metadata }: StoredRoute): string {
  return `${kind} ${metadata.name}`;
}

/** What keeps a route from leading players to its Service, by the answer of one gateway. */
type Problem = { kind: "unanswered" } | { kind: "refused"; why: string } | { kind: "notProgrammed" };

/** A sentence, or `""` where the route is accepted and only not programmed yet. Undefined where nothing is wrong. */
function problemOf(route: StoredRoute, isRunning: boolean): string | undefined {
  for (const parent of route.spec.parentRefs) {
    const statuses = (route.status?.parents ?? []).filter(({ parentRef }) => isSameParent(parentRef, parent, route));
    const problems = statuses.map(({ conditions }) => answerProblem(route, conditions, isRunning));
    // Several controllers may write about one parent, one of them perhaps long gone: one that accepts is enough.
    if (problems.includes(undefined)) continue;
    if (problems.some((problem) => problem?.kind === "notProgrammed")) return "";
    const gateway = `the Gateway ${parent.namespace}/${parent.name} (listener ${parent.sectionName})`;
    const refused = problems.find((problem) => problem?.kind === "refused");
    if (refused) return `The ${nameOf(route)} is not accepted by ${gateway}: ${sentence(refused.why)}`;
    return `No gateway controller has answered to the ${nameOf(route)}: check that ${gateway} exists and that its controller runs.`;
  }
  return undefined;
}

/** Controllers copy the reference from the spec; the API server fills in defaults. */
function isSameParent(ref: ParentStatus["parentRef"], parent: ParentReference, { metadata }: StoredRoute): boolean {
  if (ref?.name !== parent.name || (ref.namespace ?? metadata.namespace) !== parent.namespace) return false;
  return ref.sectionName === undefined || ref.sectionName === parent.sectionName;
}

function answerProblem(
  { metadata }: StoredRoute,
  conditions: AnswerCondition[] | undefined,
  isRunning: boolean,
): Problem | undefined {
  for (const type of ["Accepted", "ResolvedRefs"]) {
    const answer = findCondition(conditions, type);
    const isOld = (answer?.observedGeneration ?? Number.POSITIVE_INFINITY) < (metadata.generation ?? 0);
    if (!answer || answer.status === "Unknown" || (isOld && !isRunning)) return { kind: "unanswered" };
    const { status, reason, message } = answer;
    if (status !== "True") return { kind: "refused", why: message || reason || `${type} is ${status}` };
  }
  const { status = "True" } = findCondition(conditions, "Programmed") ?? {};
  return status === "True" || isRunning ? undefined : { kind: "notProgrammed" };
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
