/**
 * I3: one holder an owner. I4: what is given once stays. I7: phases go their way and no other. I11: the conditions of an
 * instance that ends do not contradict each other.
 */
import { findCondition } from "@berg/kube";
import type { ChallengeInstanceStatus, InstancePhase } from "@berg/resources";
import { labels } from "@berg/resources";
import { type Invariant, isInstance, nameOf, replay, revisionOf, successions, type Violation } from "./record.ts";

const holding: ReadonlySet<InstancePhase | undefined> = new Set(["Creating", "Starting", "Running"]);

export const oneHolder: Invariant = ({ changes }) => {
  const violations: Violation[] = [];
  const broken = (text: string) => violations.push({ invariant: "I3 uniqueness", text });
  for (const [change, alive] of replay(changes)) {
    if (!isInstance(change) || change.type === "deleted" || !holding.has(change.object.status?.phase)) continue;
    const { ownerId } = change.object.spec;
    const holders = [...alive.values()]
      .filter(isInstance)
      .filter(({ object }) => object.spec.ownerId === ownerId && holding.has(object.status?.phase));
    if (holders.length > 1) {
      broken(`at revision ${revisionOf(change)} ${holders.map(nameOf).join(" and ")} both hold challenge-${ownerId}`);
    }
  }
  for (const [before, after] of successions(changes)) {
    const [had, has] = [before, after].map(({ object }) => object.metadata.labels?.[labels.instanceUid]);
    if (after.resource === "namespaces" && had !== undefined && has !== undefined && had !== has) {
      broken(`at revision ${revisionOf(after)} ${nameOf(after)} went from one instance to another`);
    }
  }
  return violations;
};

export const immutability: Invariant = ({ changes }) => {
  const violations: Violation[] = [];
  for (const [before, after] of successions(changes)) {
    if (!isInstance(before) || !isInstance(after)) continue;
    const [had, has] = [before.object.status ?? {}, after.object.status ?? {}];
    const broken = (text: string) =>
      violations.push({
        invariant: "I4 immutability",
        text: `at revision ${revisionOf(after)} ${nameOf(after)}: ${text}`,
      });
    for (const field of ["instanceId", "startedAt"] as const) {
      if (had[field] !== undefined && had[field] !== has[field])
        broken(`${field} went from ${had[field]} to ${has[field]}`);
    }
    const isExplained = (has.history?.length ?? 0) > 0 && has.history?.at(-1)?.expiresAt === has.expiresAt;
    if (had.expiresAt !== has.expiresAt && had.startedAt !== undefined && !isExplained) {
      broken(`expiresAt went from ${had.expiresAt} to ${has.expiresAt}, and its history does not say why`);
    }
  }
  return violations;
};

// One status is written for all that was done before, so that a fast start skips phases.
const legalNext: Record<InstancePhase, readonly InstancePhase[]> = {
  Pending: ["Creating", "Starting", "Running", "Failed", "Terminating", "Terminated"],
  Creating: ["Pending", "Starting", "Running", "Failed", "Terminating", "Terminated"],
  Starting: ["Running", "Failed", "Terminating", "Terminated"],
  Running: ["Failed", "Terminating", "Terminated"],
  Failed: ["Pending", "Creating", "Starting", "Running", "Terminating", "Terminated"],
  Terminating: ["Terminated"],
  Terminated: [],
};

export const legalPhases: Invariant = ({ changes }) => {
  const violations: Violation[] = [];
  for (const [before, after] of successions(changes)) {
    if (!isInstance(before) || !isInstance(after)) continue;
    const [from, to] = [before.object.status?.phase, after.object.status?.phase];
    if (from === undefined || from === to || (to !== undefined && legalNext[from].includes(to))) continue;
    const text = `at revision ${revisionOf(after)} ${nameOf(after)} went from ${from} to ${to}`;
    violations.push({ invariant: "I7 monotone phases", text });
  }
  return violations;
};

export const consistentEnd: Invariant = ({ changes }) =>
  changes.filter(isInstance).flatMap((change) =>
    endProblems(change.object.status ?? {}).map((problem) => ({
      invariant: "I11 consistent end",
      text: `at revision ${revisionOf(change)} ${nameOf(change)} is ${change.object.status?.phase}, but ${problem}`,
    })),
  );

function endProblems({ phase, services, conditions = [] }: ChallengeInstanceStatus): string[] {
  const problems: string[] = [];
  const hasEnded = phase === "Terminated" || findCondition(conditions, "NamespaceDeleted")?.status === "True";
  if (phase !== "Terminating" && !hasEnded) return problems;
  if (services !== undefined) problems.push("has status.services");
  for (const type of ["PodsReady", "Healthy"]) {
    const { status, reason } = findCondition(conditions, type) ?? {};
    if (status !== "False" || reason !== "Terminating") problems.push(`${type} is ${status}/${reason}`);
  }
  if (!hasEnded) return problems;
  for (const { type, status } of conditions) {
    if (type.endsWith("Created") && status !== "False") problems.push(`${type} is ${status}`);
  }
  if (findCondition(conditions, "NamespaceDeleted")?.status !== "True") problems.push("NamespaceDeleted is not True");
  return problems;
}
