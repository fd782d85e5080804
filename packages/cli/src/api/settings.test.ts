import { addressVariables, handoutVariables, mailVariables, providerSuffixes } from "@berg/api";
import { settingsReference } from "@berg/instances";
import { describe, expect, test } from "vitest";
import { readApiSettings } from "./settings.ts";
import { apiVariables, defaultOf, oidcVariables } from "./variables.ts";

const complete = { PUBLIC_URL: "https://ctf.example.com/", DATABASE_URL: "postgres://berg:s3cret@db/berg" };

function read(env: Record<string, string>, options = {}) {
  const mistakes: string[] = [];
  return { settings: readApiSettings(env, options, mistakes), mistakes };
}

test("what is not set has its default", () => {
  const { settings, mistakes } = read(complete);
  expect(mistakes).toEqual([]);
  expect(settings).toMatchObject({
    publicUrl: "https://ctf.example.com",
    database: { url: complete.DATABASE_URL },
    ...{ host: "0.0.0.0", port: 8080, pagesDirectory: undefined, competition: "competition", namespace: "berg" },
    ...{ poolSize: 10, slowQueryMs: 1_000 },
    ...{ maxRenewals: 3, trustedProxies: [], handouts: { registries: [], directories: [] } },
    ...{ mail: undefined, addressRetentionMs: 30 * 24 * 3_600_000 },
    process: { healthPort: 8085, metricsPort: 8086, logLevel: "info" },
  });
});

test("the defaults in the help are those of the controller and of the API", () => {
  const others = [...handoutVariables, ...mailVariables, ...addressVariables];
  for (const { name, default: byDefault } of [...settingsReference(), ...others]) {
    const own = apiVariables.find((variable) => variable.name === name);
    if (own) expect([name, defaultOf(own.name)]).toEqual([name, byDefault]);
  }
});

test("the help describes every setting of a provider", () => {
  expect(oidcVariables.map(({ name }) => name)).toEqual(providerSuffixes.map((suffix) => `OIDC_<NAME>_${suffix}`));
});

test("a directory takes the place of the database server", () => {
  const { settings } = read({ PUBLIC_URL: complete.PUBLIC_URL }, { dataDir: "/data" });
  expect(settings).toMatchObject({ database: { dataDir: "/data" }, handouts: { cacheDirectory: "/data/handouts" } });
});

test("every mistake is told at once, by name, and no password", () => {
  const { settings, mistakes } = read({
    DATABASE_URL: "mysql://berg:s3cret@db/berg",
    DATABASE_POOL: "0",
    SLOW_QUERY_MS: "1s",
    API_PORT: "eighty",
    TRUSTED_PROXIES: "10.0.0.0/8,10.0.0.0/99",
    HANDOUT_MAX_BYTES: "1G",
    SMTP_URL: "http://berg:s3cret@mail.example.com",
    ADDRESS_RETENTION: "soon",
    HEALTH_PORT: "x",
    LOG_LEVEL: "loud",
    CHALLENGE_MAX_RENEWALS: "-1",
    OIDC_PROVIDERS: "school",
    OIDC_SCHOOL_ISSUER: "http://id.example.com",
    OIDC_SCHOOL_CLIENT_SECRET: "s3cret",
  });
  expect(settings).toBeUndefined();
  const names = mistakes.map((mistake) => /^cannot read ([A-Z_]+): /.exec(mistake)?.[1]);
  expect(names.sort()).toEqual(
    ["API_PORT", "CHALLENGE_MAX_RENEWALS", "DATABASE_URL", "HANDOUT_MAX_BYTES", "HEALTH_PORT", "LOG_LEVEL"]
      .concat("PUBLIC_URL", "TRUSTED_PROXIES", "SMTP_URL", "MAIL_FROM", "ADDRESS_RETENTION")
      .concat("DATABASE_POOL", "SLOW_QUERY_MS", "OIDC_SCHOOL_ISSUER", "OIDC_SCHOOL_CLIENT_ID")
      .sort(),
  );
  expect(mistakes.join()).not.toContain("s3cret");
});

describe("is refused:", () => {
  test.each([
    ["no database", { PUBLIC_URL: "https://a.example" }, {}, "cannot read DATABASE_URL: it is not set"],
    ["two databases", complete, { dataDir: "/data" }, "cannot use DATABASE_URL and --data-dir together"],
    ["a file as the URL", { ...complete, DATABASE_URL: "api.db" }, {}, "--data-dir is for a SQLite file"],
    ["a PUBLIC_URL without a scheme", { ...complete, PUBLIC_URL: "a.example" }, {}, "begins with http:// or https://"],
    ["a path in PUBLIC_URL", { ...complete, PUBLIC_URL: "https://a.example/ctf" }, {}, "A public URL has no path"],
    ["pages among challenges", { ...complete, CHALLENGE_DOMAIN: "example.com" }, {}, "CHALLENGE_DOMAIN (example.com)"],
    ["pages at their domain", { ...complete, CHALLENGE_DOMAIN: "ctf.example.com" }, {}, "or below it"],
    ["a missing directory", complete, { handouts: ["/no/such"] }, "cannot use --handouts /no/such: there is no such"],
    ["one port for two", { ...complete, API_PORT: "8086" }, {}, "8086 is also HEALTH_PORT or METRICS_PORT"],
  ])("%s", (_, env, options, want) => {
    const { settings, mistakes } = read(env, options);
    expect(settings).toBeUndefined();
    expect(mistakes).toEqual([expect.stringContaining(want)]);
  });
});
