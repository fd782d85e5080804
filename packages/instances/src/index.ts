/**
 * The ChallengeInstance controller. Begun: how a flag reaches its container.
 *
 * flags: the environment variable, the file and the executable, as pure functions of the flag.
 */
export type { Architecture } from "./flags/executable.ts";
export { type EnvVar, literalEnvValue } from "./flags/flag-env.ts";
export type { FlagFile } from "./flags/flag-file.ts";
export { type FlagOwner, flagPathProblem } from "./flags/flag-path.ts";
export { type FlagPlan, flagPlan } from "./flags/flag-plan.ts";
