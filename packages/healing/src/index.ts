/**
 * Self-healing: what the API and the player see becomes true again by itself, and what nobody owns goes.
 *
 * The listener (`listener.ts` draws how data flows through it): observe (what is there) → shards (lines of pods) →
 * restarts, stuck, stopped, orphans (one verb each: a pure decision, one effect) → records (what is remembered);
 * mismatch is its early warning. The janitor: expired, ghosts → janitor.
 */
export { readDatabaseAddress } from "@berg/database";
export { addJanitor, type JanitorOptions } from "./janitor/janitor.ts";
export { sweepOnce } from "./janitor/sweep-once.ts";
export { renderTable } from "./janitor/table.ts";
export { addListener, type ListenerOptions } from "./listener.ts";
export { ClusterRecords, type ClusterRecordsOptions } from "./records/cluster/cluster-records.ts";
export { openDatabaseRecords } from "./records/database/database-records.ts";
export { LateRecords } from "./records/database/late-records.ts";
export * from "./records/runtime-records.ts";
export {
  type JanitorSettings,
  janitorSettingsReference,
  readInterval,
  readJanitorSettings,
} from "./settings/janitor.ts";
export { type ListenerSettings, listenerSettingsReference, readListenerSettings } from "./settings/listener.ts";
export { addLines } from "./shards/lines.ts";
export { eventReasons, metricNames, stuckReasons, stuckRestartsAnnotation } from "./vocabulary.ts";
