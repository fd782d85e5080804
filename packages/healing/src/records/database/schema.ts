/** The tables, as queries see them. `migrations.ts` makes them; all times are ms since 1970. */
import type { RuntimeStatus } from "../runtime-records.ts";

export interface Tables {
  runtime_record: RecordTable;
  runtime_pod: PodTable;
}

export interface RecordTable {
  uid: string;
  instance_namespace: string;
  instance_name: string;
  namespace: string;
  owner_id: string;
  challenge: string;
  status: RuntimeStatus;
  started_at: number;
  stopped_at: number | null;
  reserved_until: number | null;
}

/** Rows of their own: two containers that are noted at once touch different ones, and none is lost. */
export interface PodTable {
  record_uid: string;
  container: string;
  pod_uid: string;
  restarts: number;
  replaced: number;
}
