/** A place to keep records, for the suite: what it must be able to do there. */
import type { Life, RuntimeRecords } from "../runtime-records.ts";

export interface Place extends AsyncDisposable {
  /** The records, as one more process sees them. */
  open(): Promise<RuntimeRecords>;
  /** A life that can be recorded here: where that takes more than the record, it is there. */
  newLife(): Promise<Life>;
  /** Resolves when everybody sees what anybody has written; caches may be behind. */
  allSeen(): Promise<void>;
}

export const startedAt = Date.parse("2026-10-01T18:00:00Z");

/** Numbered, so that no two are alike. */
export function lifeNumber(number: number): Life {
  const uuid = `0191e7a4-5f0c-7b3e-9d2a-${String(number).padStart(12, "0")}`;
  return {
    uid: uuid,
    instance: { namespace: "berg", name: `instance-${number}` },
    namespace: `challenge-${uuid}`,
    ownerId: uuid,
    challenge: "web",
    status: "STARTING",
    startedAt,
  };
}
