/** Rows of a record joined with its pods → records, and back. */
import type { Life, RunningPod, RuntimeRecord } from "../runtime-records.ts";
import type { PodTable, RecordTable } from "./schema.ts";

type PodColumns = Omit<PodTable, "record_uid">;

/** One row a pod; a record without pods has one row without. */
export type JoinedRow = RecordTable & { [K in keyof PodColumns]: PodColumns[K] | null };

export function recordsOf(rows: readonly JoinedRow[]): RuntimeRecord[] {
  const byUid = Map.groupBy(rows, ({ uid }) => uid);
  return [...byUid.values()].map((ofOne) => recordOf(ofOne as [JoinedRow, ...JoinedRow[]]));
}

function recordOf(rows: [JoinedRow, ...JoinedRow[]]): RuntimeRecord {
  const [row] = rows;
  return {
    uid: row.uid,
    instance: { namespace: row.instance_namespace, name: row.instance_name },
    namespace: row.namespace,
    ownerId: row.owner_id,
    challenge: row.challenge,
    status: row.status,
    startedAt: row.started_at,
    ...(row.stopped_at !== null && { stoppedAt: row.stopped_at }),
    ...(row.reserved_until !== null && { reservedUntil: row.reserved_until }),
    pods: Object.fromEntries(rows.flatMap((pod) => (hasPod(pod) ? [[pod.container, podOf(pod)]] : []))),
  };
}

function hasPod(row: JoinedRow): row is JoinedRow & PodColumns {
  return row.container !== null;
}

function podOf({ pod_uid, restarts, replaced }: PodColumns): RunningPod {
  return { uid: pod_uid, restarts, replaced };
}

export function rowOf(life: Life): RecordTable {
  return {
    uid: life.uid,
    instance_namespace: life.instance.namespace,
    instance_name: life.instance.name,
    namespace: life.namespace,
    owner_id: life.ownerId,
    challenge: life.challenge,
    status: life.status,
    started_at: life.startedAt,
    stopped_at: null,
    reserved_until: life.reservedUntil ?? null,
  };
}
