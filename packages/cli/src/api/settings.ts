/** What `berg api` reads from the environment and its options. */
import { statSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import {
  type HandoutSettings,
  type MailSettings,
  type ProviderSettings,
  readAddressRetention,
  readHandoutSettings,
  readMailSettings,
  readProviderSettings,
} from "@berg/api";
import { quoted } from "@berg/apimachinery";
import { readDatabaseAddress } from "@berg/database";
import { readSettings } from "@berg/instances";
import { ConfigurationError } from "@berg/kube";
import { type ProcessSettings, port, readInto, readProcessSettings } from "../process-settings.ts";
import { isOfChallenges, readPublicUrl } from "../public-url.ts";
import type { ApiCommandOptions } from "./api.ts";
import { type ApiVariable, defaultOf } from "./variables.ts";

type Environment = Record<string, string | undefined>;

export interface ApiProcessSettings {
  publicUrl: string;
  /** A URL of PostgreSQL, or a directory for SQLite. */
  database: { url: string } | { dataDir: string };
  poolSize: number;
  slowQueryMs: number;
  host: string;
  port: number;
  pagesDirectory: string | undefined;
  competition: string;
  namespace: string;
  maxRenewals: number;
  trustedProxies: string[];
  handouts: HandoutSettings;
  /** Undefined: no mail. */
  mail: MailSettings | undefined;
  addressRetentionMs: number;
  providers: ProviderSettings[];
  process: ProcessSettings;
}

/** Adds every mistake to `mistakes`; undefined where there are any. */
export function readApiSettings(
  env: Environment,
  { dataDir, handouts: directories = [] }: ApiCommandOptions,
  mistakes: string[],
): ApiProcessSettings | undefined {
  const parsed = <T>(name: ApiVariable, parse: (text: string) => T) =>
    readInto(mistakes, () => parseVariable(env, name, parse));
  const cluster = readInto(mistakes, () => readClusterSettings(env));
  const publicUrl = parsed("PUBLIC_URL", (text) => {
    if (text === "")
      throw new Error("it is not set. Say where browsers reach the pages, such as https://ctf.example.com");
    const url = readPublicUrl(text);
    if (cluster && isOfChallenges(url, cluster.domain)) {
      throw new Error(
        `${url} is CHALLENGE_DOMAIN (${cluster.domain}) or below it, where challenges would be sent the players' sessions; choose another name`,
      );
    }
    return url;
  });
  const database = readInto(mistakes, () => readDatabase(env, dataDir));
  const poolSize = parsed("DATABASE_POOL", (text) => wholeNumber(text, 1, 1_000));
  const slowQueryMs = parsed("SLOW_QUERY_MS", (text) => wholeNumber(text, 1, 3_600_000));
  const apiPort = parsed("API_PORT", port);
  const trustedProxies = parsed("TRUSTED_PROXIES", networks);
  for (const one of directories) {
    if (!statSync(one, { throwIfNoEntry: false })?.isDirectory()) {
      mistakes.push(`cannot use --handouts ${one}: there is no such directory`);
    }
  }
  const handouts = readInto(mistakes, () => readHandoutSettings(env, { directories, dataDir }));
  const mail = readInto(mistakes, () => readMailSettings(env));
  const addressRetentionMs = readInto(mistakes, () => readAddressRetention(env));
  const providers = readInto(mistakes, () => readProviderSettings(env));
  const own = readInto(mistakes, () =>
    readProcessSettings(env, { healthPort: defaultOf("HEALTH_PORT"), metricsPort: defaultOf("METRICS_PORT") }),
  );
  if (own && apiPort && (apiPort === own.healthPort || apiPort === own.metricsPort)) {
    mistakes.push(`cannot use API_PORT: ${apiPort} is also HEALTH_PORT or METRICS_PORT; each needs a port of its own`);
  }
  if (mistakes.length > 0 || !cluster || !publicUrl || !database || apiPort === undefined) return undefined;
  if (!trustedProxies || !handouts || !providers || !own) return undefined;
  if (addressRetentionMs === undefined || !poolSize || !slowQueryMs) return undefined;
  return {
    ...{ publicUrl, database, poolSize, slowQueryMs, trustedProxies, handouts, mail, addressRetentionMs, providers },
    host: given(env, "API_HOST"),
    port: apiPort,
    pagesDirectory: given(env, "PAGES_DIR") || undefined,
    competition: given(env, "COMPETITION"),
    namespace: cluster.namespace,
    maxRenewals: cluster.maxRenewals,
    process: own,
  };
}

/** Of the variables that the controller reads too, and as it reads them. */
export function readClusterSettings(env: Environment): { namespace: string; domain: string; maxRenewals: number } {
  const { CHALLENGE_NAMESPACE, CHALLENGE_DOMAIN, CHALLENGE_MAX_RENEWALS } = env;
  const { challengeNamespace, build, expiry } = readSettings({
    ...{ CHALLENGE_NAMESPACE, CHALLENGE_DOMAIN, CHALLENGE_MAX_RENEWALS },
  });
  return { namespace: challengeNamespace, domain: build.domain, maxRenewals: expiry.maxRenewals };
}

function given(env: Environment, name: ApiVariable): string {
  return env[name]?.trim() || defaultOf(name);
}

function parseVariable<T>(env: Environment, name: ApiVariable, parse: (text: string) => T): T {
  try {
    return parse(given(env, name));
  } catch (error) {
    throw new ConfigurationError(`cannot read ${name}: ${(error as Error).message}`);
  }
}

/** What is wrong with the URL is told without quoting it: it may hold a password. */
function readDatabase(env: Environment, dataDir: string | undefined): ApiProcessSettings["database"] {
  const url = given(env, "DATABASE_URL");
  if (url !== "" && dataDir !== undefined) {
    throw new ConfigurationError("cannot use DATABASE_URL and --data-dir together: give one of them");
  }
  if (dataDir !== undefined) return { dataDir };
  if (url === "") {
    throw new ConfigurationError(
      "cannot read DATABASE_URL: it is not set. Give postgres://user:password@host/database, or --data-dir for a SQLite file",
    );
  }
  try {
    if (readDatabaseAddress(url).kind === "postgres") return { url };
  } catch (error) {
    throw new ConfigurationError(`cannot read DATABASE_URL: ${(error as Error).message}`);
  }
  throw new ConfigurationError(
    "cannot read DATABASE_URL: it is not a postgres:// URL; --data-dir is for a SQLite file",
  );
}

function wholeNumber(text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`${quoted(text)} is not a whole number from ${least} to ${most}`);
}

function networks(text: string): string[] {
  const list = text.split(",").map((one) => one.trim());
  return list.filter((one) => one !== "").map(network);
}

function network(text: string): string {
  const [address = "", prefix] = text.split("/");
  const family = isIP(address);
  try {
    if (family === 0) throw new Error("no address");
    new BlockList().addSubnet(address, Number(prefix ?? (family === 6 ? 128 : 32)), family === 6 ? "ipv6" : "ipv4");
    return text;
  } catch {
    throw new Error(`${quoted(text)} is not a network, such as 10.0.0.0/8`);
  }
}
