/**
 * Which identity providers players sign in with. `OIDC_PROVIDERS` names them; `OIDC_<NAME>_…` describes each. No message
 * contains a client secret.
 */
import { readFileSync } from "node:fs";
import { quoted } from "@berg/apimachinery";
import { ConfigurationError } from "@berg/kube";
import type { Role } from "../players/store.ts";

export type StaffRole = Exclude<Role, "player">;

/** `discord` and `ctftime` are OAuth 2 without discovery or ID tokens. */
export type ProviderType = "oidc" | "discord" | "ctftime";

export interface ProviderSettings {
  /** In URLs and in the database. */
  readonly name: string;
  /** On the button of the sign-in page. */
  readonly title: string;
  readonly type: ProviderType;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly nameClaim: string;
  /** Undefined: the provider gives no roles. */
  readonly roleClaim: string | undefined;
  /** Values of the role claim that give each role. */
  readonly roleValues: Readonly<Record<StaffRole, readonly string[]>>;
}

const listVariable = "OIDC_PROVIDERS";

/** Of one provider: `OIDC_<NAME>_<suffix>`. The help of `berg api` describes them. */
export const providerSuffixes = [
  "TYPE",
  "ISSUER",
  "CLIENT_ID",
  "CLIENT_SECRET",
  "CLIENT_SECRET_FILE",
  "TITLE",
  "SCOPES",
  "NAME_CLAIM",
  "ROLE_CLAIM",
  "ROLE_ADMIN",
  "ROLE_AUTHOR",
  "ROLE_SUPPORT",
] as const;

type Suffix = (typeof providerSuffixes)[number];
type Environment = Record<string, string | undefined>;

const typeDefaults: Record<ProviderType, { title: string; issuer: string; scopes: string }> = {
  oidc: { title: "", issuer: "", scopes: "openid profile" },
  discord: { title: "Discord", issuer: "https://discord.com", scopes: "identify" },
  ctftime: { title: "CTFtime", issuer: "https://oauth.ctftime.org", scopes: "team:read" },
};

/** Paths below /api/sign-in that mean something else. */
const reservedNames = ["providers", "preview"];
const longestTitle = 64;

/** Throws one ConfigurationError with a line for each mistake. */
export function readProviderSettings(env: Environment): ProviderSettings[] {
  const mistakes: string[] = [];
  const names = listOf(env[listVariable] ?? "");
  const refuse = (text: string) => void mistakes.push(`cannot read ${listVariable}: ${text}`);
  for (const name of new Set(names)) {
    if (names.filter((other) => other === name).length > 1) refuse(`${quoted(name)} is there twice`);
    if (reservedNames.includes(name)) refuse(`${quoted(name)} is reserved; choose another name`);
    else if (!/^[a-z][a-z0-9]{0,31}$/.test(name)) {
      refuse(`${quoted(name)} is not a name: up to 32 small letters and digits, such as school`);
    }
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join("\n"));
  const providers = names.map((name) => readProvider(env, name, mistakes));
  for (const { name, issuer } of providers) {
    const same = providers.find((other) => other.issuer === issuer);
    if (issuer !== "" && same && same.name !== name) {
      mistakes.push(`cannot read ${variable(name, "ISSUER")}: ${issuer} is also the issuer of ${same.name}`);
    }
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join("\n"));
  return providers;
}

function readProvider(env: Environment, name: string, mistakes: string[]): ProviderSettings {
  const given = (suffix: Suffix) => env[variable(name, suffix)]?.trim() ?? "";
  const refuse = (suffix: Suffix, text: string) => {
    mistakes.push(`cannot read ${variable(name, suffix)}: ${text}`);
    return "";
  };
  refuseUnknown(env, name, mistakes);
  const type = (given("TYPE") || "oidc") as ProviderType;
  const defaults = typeDefaults[type];
  if (!defaults) refuse("TYPE", `${quoted(type)} is none of ${Object.keys(typeDefaults).join(", ")}`);
  const title = given("TITLE") || defaults?.title || name;
  if (title.length > longestTitle || /\p{C}/u.test(title)) {
    refuse("TITLE", `it must have up to ${longestTitle} visible characters`);
  }
  const scopes = given("SCOPES").replaceAll(",", " ").split(/\s+/).filter(Boolean).join(" ") || defaults?.scopes || "";
  if (type === "oidc" && !scopes.split(" ").includes("openid")) refuse("SCOPES", "openid must be among them");
  const roleClaim = given("ROLE_CLAIM") || undefined;
  const roleValues = {
    admin: listOf(given("ROLE_ADMIN")),
    author: listOf(given("ROLE_AUTHOR")),
    support: listOf(given("ROLE_SUPPORT")),
  };
  const hasValues = Object.values(roleValues).some((values) => values.length > 0);
  if (type !== "oidc" && (roleClaim !== undefined || hasValues)) {
    refuse("ROLE_CLAIM", `${type} gives no roles; grant them with berg admin roles`);
  } else if (roleClaim === undefined && hasValues) {
    refuse("ROLE_CLAIM", "it is not set, but values for a role are");
  } else if (roleClaim !== undefined && !hasValues) {
    refuse("ROLE_CLAIM", "no value gives a role; set ROLE_ADMIN, ROLE_AUTHOR or ROLE_SUPPORT of this provider");
  }
  return {
    ...{ name, title, type, scopes, roleClaim, roleValues },
    issuer: readIssuer(given("ISSUER") || defaults?.issuer || "", (text) => refuse("ISSUER", text)),
    clientId: given("CLIENT_ID") || refuse("CLIENT_ID", "it is not set"),
    clientSecret: readSecret(given, refuse),
    nameClaim: given("NAME_CLAIM") || "name",
  };
}

function readIssuer(text: string, refuse: (text: string) => string): string {
  if (text === "") return refuse("it is not set. Give the URL of the provider, such as https://id.example.com");
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse(`${quoted(text)} is not a URL, such as https://id.example.com`);
  if (url.username !== "" || url.password !== "") return refuse("it must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") return refuse(`${quoted(text)} must not have a query or a fragment`);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return refuse(`${quoted(text)} is not https: tokens could be read and changed on the way`);
  }
  return text;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

function readSecret(given: (suffix: Suffix) => string, refuse: (suffix: Suffix, text: string) => string): string {
  const [secret, file] = [given("CLIENT_SECRET"), given("CLIENT_SECRET_FILE")];
  if (secret !== "" && file !== "") return refuse("CLIENT_SECRET_FILE", "CLIENT_SECRET is set, too; give one of them");
  if (file === "")
    return secret || refuse("CLIENT_SECRET", "it is not set; CLIENT_SECRET_FILE can name a file instead");
  try {
    return readFileSync(file, "utf8").trim() || refuse("CLIENT_SECRET_FILE", `${quoted(file)} is empty`);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return refuse("CLIENT_SECRET_FILE", `${quoted(file)} cannot be read (${code})`);
  }
}

/** A misspelt optional setting would else be ignored. Kubernetes sets variables of this form for Services. */
function refuseUnknown(env: Environment, name: string, mistakes: string[]): void {
  const prefix = variable(name, "");
  const known = new Set<string>(providerSuffixes);
  for (const key of Object.keys(env)) {
    const suffix = key.startsWith(prefix) ? key.slice(prefix.length) : "";
    if (suffix === "" || known.has(suffix) || /^(SERVICE|PORT)(_|$)/.test(suffix)) continue;
    mistakes.push(`cannot read ${key}: there is no such setting; known are ${prefix}{${[...known].join(",")}}`);
  }
}

function variable(name: string, suffix: Suffix | ""): string {
  return `OIDC_${name.toUpperCase()}_${suffix}`;
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
