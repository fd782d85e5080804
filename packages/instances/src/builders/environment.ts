/** The environment of one container. Later variables win over earlier ones of the same name. */
import { type ChallengeContainer, environmentText } from "@berg/resources";
import { type EnvVar, literalEnvValue } from "../flags/flag-env.ts";
import type { FlagPlan } from "../flags/flag-plan.ts";

export interface EnvironmentParts {
  /** Addresses of every named port of the instance: see `endpointEnv`. */
  endpoints: readonly EnvVar[];
  /** The namespace of the instance. */
  namespace: string;
  flag: FlagPlan | undefined;
}

/** An environment variable as the API server returns it: an empty value is left out. */
export interface StoredEnvVar {
  name: string;
  value?: string;
}

export function environmentOf(
  container: ChallengeContainer,
  { endpoints, namespace, flag }: EnvironmentParts,
): StoredEnvVar[] {
  const literal = [
    ...authored(container.environment),
    ...endpoints,
    { name: "CHALLENGE_NAMESPACE", value: namespace },
  ].map(({ name, value }) => ({ name, value: literalEnvValue(value) }));
  const all = flag?.way === "env" ? [...literal, flag.env] : literal;
  return lastOfEachName(all).map(({ name, value }) => (value === "" ? { name } : { name, value }));
}

/** In the order of their names: a map that went through the API server has no other, and order must not count as a change. */
function authored(environment: ChallengeContainer["environment"]): EnvVar[] {
  return Object.keys(environment)
    .sort()
    .map((name) => ({ name, value: environmentText(environment[name] ?? null) }));
}

/** Each name once, where it stands last: the API server refuses to apply a list that has a name twice. */
function lastOfEachName(variables: readonly EnvVar[]): EnvVar[] {
  const last = new Map(variables.map((variable) => [variable.name, variable]));
  return variables.filter((variable) => last.get(variable.name) === variable);
}
