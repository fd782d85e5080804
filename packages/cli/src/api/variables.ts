/** The environment variables of `berg api`: name, default and meaning. Empty counts as missing. */
export const apiVariables = [
  {
    name: "PUBLIC_URL",
    default: "",
    description: "where browsers reach the pages, such as https://ctf.example.com; required",
  },
  {
    name: "DATABASE_URL",
    default: "",
    description: "postgres://user:password@host/database; required without --data-dir",
  },
  { name: "DATABASE_POOL", default: "10", description: "connections to PostgreSQL at most, for each replica" },
  { name: "SLOW_QUERY_MS", default: "1000", description: "queries that take longer are logged, without values" },
  { name: "API_HOST", default: "0.0.0.0", description: "address that the API and the pages listen on" },
  { name: "API_PORT", default: "8080", description: "their port" },
  {
    name: "PAGES_DIR",
    default: "",
    description: "where the built pages are; without it they are built if Vite is installed",
  },
  { name: "COMPETITION", default: "competition", description: "name of the Competition object" },
  {
    name: "CHALLENGE_NAMESPACE",
    default: "berg",
    description: "namespace of it, of Challenges, Pages and ChallengeInstances",
  },
  {
    name: "CHALLENGE_DOMAIN",
    default: "challenges.example.com",
    description: "as the controller has it; PUBLIC_URL must be elsewhere",
  },
  { name: "CHALLENGE_MAX_RENEWALS", default: "3", description: "as the controller has it" },
  {
    name: "TRUSTED_PROXIES",
    default: "",
    description: "networks of the proxies whose X-Forwarded headers count, such as 10.0.0.0/8",
  },
  {
    name: "HANDOUT_REGISTRIES",
    default: "",
    description: "registries that handouts may be pulled from, such as ghcr.io,registry.local:5000",
  },
  { name: "HANDOUT_MAX_BYTES", default: "536870912", description: "largest handout that is pulled" },
  { name: "HEALTH_PORT", default: "8085", description: "port of /healthz and /readyz" },
  { name: "METRICS_PORT", default: "8086", description: "port of /metrics" },
  { name: "LOG_LEVEL", default: "info", description: "debug (a line for each request), info, warn or error" },
] as const;

export type ApiVariable = (typeof apiVariables)[number]["name"];

export function defaultOf(name: ApiVariable): string {
  return apiVariables.find((variable) => variable.name === name)?.default ?? "";
}
