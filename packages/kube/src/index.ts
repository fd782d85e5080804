/**
 * The controller runtime: what a process needs to keep a cluster as it should be.
 *
 * Folders in the order in which data flows: config (how to reach the server) → client (calls) → cache (a copy that
 * stays true) → queue (what to look at) → controller (looking at it) → children (what it makes) → manager (all of it,
 * started and stopped in order). Beside them: election, events, metrics, conditions.
 */
export { abortable, aborted } from "./abort.ts";
export * from "./cache/informer.ts";
export { OptionalInformer, type OptionalKind } from "./cache/optional-informer.ts";
export { OwnWrites } from "./cache/own-writes.ts";
export type { Change, IndexFunction } from "./cache/store.ts";
export * from "./cache/transforms.ts";
export * from "./children/delete-child.ts";
export * from "./children/ensure-child.ts";
export * from "./children/finalizers.ts";
export { isAsWanted } from "./children/is-as-wanted.ts";
export * from "./children/settled-children.ts";
export * from "./client/client.ts";
export type { Discovery } from "./client/discovery.ts";
export { type ClientOptions, createClient } from "./client/rest-client.ts";
export { ServerClock } from "./client/server-clock.ts";
export { ConnectionError } from "./client/transport.ts";
export * from "./clock.ts";
export * from "./conditions.ts";
export * from "./config/configuration-error.ts";
export * from "./config/connection.ts";
export * from "./config/load-connection.ts";
export * from "./config/write-kubeconfig.ts";
export {
  Controller,
  type ControllerOptions,
  type ControllerSurroundings,
  type ReconcileContext,
} from "./controller/controller.ts";
export { InternalError, isInternalError, type Result, TerminalError } from "./controller/outcome.ts";
export * from "./controller/watches.ts";
export * from "./election/elector.ts";
export { LeadershipLost } from "./election/fence.ts";
export { newIdentity, podIdentity } from "./election/identity.ts";
export type { ElectionTiming } from "./election/timing.ts";
export * from "./events/recorder.ts";
export * from "./kinds.ts";
export * from "./log.ts";
export { eventLoopCheck, type HealthCheck, LagMonitor } from "./manager/checks.ts";
export { type HealthServer, startHealthServer } from "./manager/health.ts";
export * from "./manager/manager.ts";
export type { OtherServer } from "./manager/other-server.ts";
export * from "./manager/process.ts";
export * from "./metrics/metrics.ts";
export * from "./queue/few-at-once.ts";
export type { AtOnce } from "./queue/room.ts";
export * from "./queue/timer-heap.ts";
export * from "./queue/work-queue.ts";
export * from "./token-bucket.ts";
export { version } from "./version.ts";
