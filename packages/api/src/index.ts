/**
 * The Berg API: sign-in, challenges and instances over HTTP, and live messages over a WebSocket.
 *
 * Terms:
 * - player: who signs in. owner: to whom an instance belongs; today always a player.
 * - row: what the database knows of an instance. object: its ChallengeInstance in Kubernetes. `instances/sync.ts` keeps
 *   the two in step.
 * - problem: an error as clients see it (RFC 9457); all codes are in `problems.ts`.
 *
 * One folder a resource: `routes.ts` is HTTP, `store.ts` holds the queries, the other files are rules. Start reading at
 * `server.ts`, then `instances/commands.ts` and `instances/sync.ts`.
 */
export { askRunningApi } from "./admin-socket/client.ts";
export type { AdminCommand } from "./admin-socket/commands.ts";
export { runAdminCommandOn } from "./admin-socket/run-on-database.ts";
export { longestSocketPath } from "./admin-socket/server.ts";
export { type ApiOptions, type RunningApi, startApi } from "./api.ts";
export type { ApiSettings } from "./context.ts";
export { type HandoutSettings, handoutVariables, readHandoutSettings } from "./handouts/settings.ts";
export type { Pages } from "./http/pages.ts";
export { type MailSettings, mailVariables, readMailSettings } from "./mail/settings.ts";
export { type ApiMetrics, apiMetricNames, createApiMetrics } from "./metrics.ts";
export { type ProviderSettings, providerSuffixes, readProviderSettings } from "./openid/settings.ts";
export { addressVariables, readAddressRetention } from "./sessions/addresses.ts";
