/**
 * The ChallengeInstance controller: one owner's running copy of a Challenge, from its start to its end.
 *
 * Folders in the order in which data flows: settings (what the organiser decides) → lint (what an author wrote) →
 * observe (what is there) → phases (what to do about it, pure) → builders and flags (what it looks like, pure), expiry
 * (when it ends, pure) → effects (doing it). `reconcile.ts` is the loop through all of them: start reading there.
 */
export { endpointVariable } from "./builders/endpoints.ts";
export { addInstanceController, type InstanceControllerOptions } from "./controller.ts";
export { type FlagOwner, flagPath } from "./flags/flag-path.ts";
export { type LintSettings, lintChallenge } from "./lint/lint-challenge.ts";
export { lintCompetition } from "./lint/lint-competition.ts";
export { lintPage } from "./lint/lint-page.ts";
export { lintPrerequisites } from "./lint/lint-prerequisites.ts";
export { formatProblem, type Problem } from "./lint/problem.ts";
export { parseCapabilities } from "./settings/capabilities.ts";
export { readSettings } from "./settings/read-settings.ts";
export type { Settings } from "./settings/settings.ts";
export { SettingsError } from "./settings/settings-error.ts";
export { settingsReference } from "./settings/variables.ts";
export { conditionTypes, reasons } from "./vocabulary.ts";
