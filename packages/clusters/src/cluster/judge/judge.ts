/**
 * How a cluster is, by what Gardener says of its Shoot. Pure.
 *
 *     lastOperation   Succeeded: by its conditions      Processing, Pending, Aborted, none: under way
 *                     Error: under way, not healthy     Failed: Gardener has given up; see retries.ts
 *
 * It is ready for the first time when each of its conditions is true, or minutes after it was made: whoever has to put right
 * what is unwell needs a way in. From then on it stays so for as long as nothing is unwell for minutes.
 */
import type { Stored } from "@berg/apimachinery";
import type { Cluster, ClusterPhase } from "@berg/resources";
import type { Shoot } from "../../gardener/kinds.ts";
import { gardener } from "../../vocabulary.ts";
import { reasons, texts } from "../vocabulary.ts";
import { cleanText } from "./clean-text.ts";
import { codesOf, isUserError } from "./codes.ts";
import { mostRetries, retriesOf, retryAt } from "./retries.ts";

export interface Finding {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export interface Judgement {
  readonly phase: ClusterPhase;
  readonly health: Finding;
  /** Whether the last thing that Gardener was asked for is done. */
  readonly isDone: boolean;
  readonly codes: readonly string[];
  readonly isUserError: boolean;
  /** When Gardener, which has given up, is to be asked again. */
  readonly retryAt?: number | undefined;
  /** When this judgement would be another one, though nothing changes. */
  readonly until?: number | undefined;
}

/** For so long a part may be unwell before the cluster is called so, and a new one may take to become well. */
const patienceMs = 5 * 60_000;

export function judge(shoot: Stored<Shoot>, cluster: Stored<Cluster>, now: number): Judgement {
  const { status = {}, metadata } = shoot;
  const operation = status.lastOperation;
  const codes = codesOf(status.lastErrors);
  const wasReady = cluster.status?.provisioningCompletedAt !== undefined;
  const underWay = {
    phase: wasReady ? "Updating" : "Provisioning",
    isDone: false,
    codes,
    isUserError: isUserError(codes),
  } as const;
  const isOld = (status.observedGeneration ?? 0) < (metadata.generation ?? 0);
  if (!operation || isOld) return { ...underWay, codes: [], isUserError: false, health: working };
  if (operation.state === "Error") {
    const why = cleanText(errorsOf(shoot));
    return {
      ...underWay,
      health: { status: "False", reason: reasonOf(codes, reasons.operationError), message: texts.operationError(why) },
    };
  }
  // Gardener was asked to try again, and has not begun yet.
  const isAsked = metadata.annotations?.[gardener.operation] === "retry";
  if (operation.state === "Failed" && isAsked) return { ...underWay, health: working };
  if (operation.state === "Failed") return givenUp(shoot, cluster, underWay, now);
  if (operation.state !== "Succeeded") return { ...underWay, codes: [], isUserError: false, health: working };
  return byConditions(shoot, wasReady, now);
}

const working: Finding = { status: "Unknown", reason: reasons.settling, message: texts.settling };

function givenUp(
  shoot: Stored<Shoot>,
  cluster: Stored<Cluster>,
  underWay: Omit<Judgement, "health">,
  now: number,
): Judgement {
  const why = cleanText(errorsOf(shoot));
  const { codes, isUserError: blame } = underWay;
  const failedAt = timeOf(shoot.status?.lastOperation?.lastUpdateTime, now);
  const next = blame ? undefined : retryAt(retriesOf(shoot, cluster), failedAt);
  const message = blame
    ? texts.userError(why)
    : next === undefined
      ? texts.gaveUp(why, mostRetries)
      : texts.retried(why);
  const health: Finding = { status: "False", reason: reasonOf(codes, reasons.operationFailed), message };
  return { ...underWay, phase: next === undefined ? "Failed" : underWay.phase, health, retryAt: next };
}

function byConditions({ status = {} }: Stored<Shoot>, wasReady: boolean, now: number): Judgement {
  const done = { isDone: true, codes: [], isUserError: false } as const;
  if (status.hibernated)
    return {
      ...done,
      phase: "Ready",
      health: { status: "False", reason: reasons.hibernated, message: texts.hibernated },
    };
  const conditions = status.conditions ?? [];
  const bad = conditions.filter((one) => one.status === "False");
  if (bad.length > 0) {
    const since = Math.min(...bad.map(({ lastTransitionTime }) => timeOf(lastTransitionTime, now)));
    const message = texts.unhealthy(
      bad.map(({ type }) => type).sort(),
      cleanText(bad.map((one) => one.message).join("; ")),
    );
    const health: Finding = { status: "False", reason: reasons.unhealthy, message };
    if (now - since >= patienceMs) return { ...done, phase: "Degraded", health };
    return { ...done, phase: wasReady ? "Ready" : "Provisioning", health, until: since + patienceMs };
  }
  const waitsUntil = timeOf(status.lastOperation?.lastUpdateTime, 0) + patienceMs;
  const isWaitedFor = !wasReady && waitsUntil > now;
  const waiting = { ...done, phase: "Provisioning", until: waitsUntil } as const;
  const typesThatAre = (wanted: string) => conditions.flatMap(({ type, status }) => (status === wanted ? type : []));
  const unknown = typesThatAre("Unknown");
  if (unknown.length > 0) {
    const health: Finding = { status: "Unknown", reason: reasons.unknown, message: texts.unknown(unknown.sort()) };
    return isWaitedFor ? { ...waiting, health } : { ...done, phase: "Ready", health };
  }
  // Progressing is Gardener's own patience. Of one that was well it is shared; and nobody has looked at one without any.
  const progressing = typesThatAre("Progressing").sort();
  if (isWaitedFor && (progressing.length > 0 || conditions.length === 0)) {
    const message = progressing.length > 0 ? texts.progressing(progressing) : texts.notLookedAt;
    return { ...waiting, health: { status: "Unknown", reason: reasons.settling, message } };
  }
  return { ...done, phase: "Ready", health: { status: "True", reason: reasons.healthy, message: texts.healthy } };
}

function errorsOf({ status = {} }: Stored<Shoot>): string {
  const errors = status.lastErrors?.map(({ description }) => description) ?? [];
  return errors.length > 0 ? errors.join("; ") : (status.lastOperation?.description ?? "");
}

const longestReason = 256;

/** Codes may be a reason as they are. */
function reasonOf(codes: readonly string[], otherwise: string): string {
  const reason = codes.join(",");
  return reason === "" || reason.length > longestReason || !/^[A-Za-z][A-Za-z0-9_,]*[A-Za-z0-9_]$/.test(reason)
    ? otherwise
    : reason;
}

/** A garden's time that cannot be read must not stop anything. */
function timeOf(text: string | undefined, otherwise: number): number {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? otherwise : time;
}
