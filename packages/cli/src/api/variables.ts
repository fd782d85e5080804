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
    name: "ADDRESS_RETENTION",
    default: "30d",
    description: "how long the addresses of sign-ins are stored, such as 30d or 12h; 0 or none: not at all",
  },
  {
    name: "SMTP_URL",
    default: "",
    description:
      "mail server for lost sign-in links: smtps://user:password@host, or smtp:// with STARTTLS; ?tls=off without; empty: no mail",
  },
  {
    name: "MAIL_FROM",
    default: "",
    description: 'sender of mail, such as "CTF <noreply@example.com>"; required with SMTP_URL',
  },
  {
    name: "HANDOUT_REGISTRIES",
    default: "",
    description: "registries that handouts may be pulled from, such as ghcr.io,registry.local:5000",
  },
  { name: "HANDOUT_MAX_BYTES", default: "536870912", description: "largest handout that is pulled" },
  {
    name: "OIDC_PROVIDERS",
    default: "",
    description: "identity providers that players sign in with, such as school,discord; each has OIDC_<NAME>_…",
  },
  { name: "HEALTH_PORT", default: "8085", description: "port of /healthz and /readyz" },
  { name: "METRICS_PORT", default: "8086", description: "port of /metrics" },
  { name: "LOG_LEVEL", default: "info", description: "debug (a line for each request), info, warn or error" },
] as const;

/** Of each provider: `<NAME>` is its name in OIDC_PROVIDERS, in capitals. */
export const oidcVariables = [
  { name: "OIDC_<NAME>_TYPE", default: "oidc", description: "oidc, discord or ctftime" },
  {
    name: "OIDC_<NAME>_ISSUER",
    default: "",
    description: "URL of the provider, as in its discovery document; required for oidc",
  },
  { name: "OIDC_<NAME>_CLIENT_ID", default: "", description: "required" },
  { name: "OIDC_<NAME>_CLIENT_SECRET", default: "", description: "required, unless CLIENT_SECRET_FILE is set" },
  { name: "OIDC_<NAME>_CLIENT_SECRET_FILE", default: "", description: "file that contains the client secret" },
  { name: "OIDC_<NAME>_TITLE", default: "", description: "what players call the provider; its name without this" },
  { name: "OIDC_<NAME>_SCOPES", default: "", description: "requested scopes; openid profile for oidc" },
  { name: "OIDC_<NAME>_NAME_CLAIM", default: "name", description: "claim with the name of the player; oidc only" },
  {
    name: "OIDC_<NAME>_ROLE_CLAIM",
    default: "",
    description: "claim with the roles, such as groups or realm_access.roles; oidc only",
  },
  {
    name: "OIDC_<NAME>_ROLE_ADMIN",
    default: "",
    description: "values of that claim, with commas between them, that give the role admin",
  },
  { name: "OIDC_<NAME>_ROLE_AUTHOR", default: "", description: "those that give the role author" },
  { name: "OIDC_<NAME>_ROLE_SUPPORT", default: "", description: "those that give the role support" },
] as const;

export type ApiVariable = (typeof apiVariables)[number]["name"];

export function defaultOf(name: ApiVariable): string {
  return apiVariables.find((variable) => variable.name === name)?.default ?? "";
}
