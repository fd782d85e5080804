import { consistentEnd, immutability, legalPhases, oneHolder } from "./instances.ts";
import { othersFieldsSurvive } from "./others-fields.ts";
import { noOrphans, ownership } from "./ownership.ts";
import { noEscalation, policyBeforePods } from "./pods.ts";
import { type Invariant, inOrder, type RunRecord, type Violation } from "./record.ts";
import { secrecy } from "./secrecy.ts";

const invariants: readonly Invariant[] = [
  ownership,
  noOrphans,
  oneHolder,
  immutability,
  secrecy,
  policyBeforePods,
  legalPhases,
  consistentEnd,
  othersFieldsSurvive,
  noEscalation,
];

export function violations(run: RunRecord): Violation[] {
  const ordered = { ...run, changes: inOrder(run.changes) };
  return invariants.flatMap((invariant) => invariant(ordered));
}
