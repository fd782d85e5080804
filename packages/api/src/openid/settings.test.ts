import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readProviderSettings } from "./settings.ts";

const school = {
  OIDC_PROVIDERS: "school",
  OIDC_SCHOOL_ISSUER: "https://id.example.com/realms/school",
  OIDC_SCHOOL_CLIENT_ID: "berg",
  OIDC_SCHOOL_CLIENT_SECRET: "s3cret",
};

test("without OIDC_PROVIDERS there are none, whatever else is set", () => {
  expect(readProviderSettings({ ...school, OIDC_PROVIDERS: " " })).toEqual([]);
});

test("what is not set has its default", () => {
  expect(readProviderSettings(school)).toEqual([
    {
      ...{ name: "school", title: "school", type: "oidc", issuer: "https://id.example.com/realms/school" },
      ...{ clientId: "berg", clientSecret: "s3cret", scopes: "openid profile", nameClaim: "name" },
      ...{ roleClaim: undefined, roleValues: { admin: [], author: [], support: [] } },
    },
  ]);
});

test("everything can be set, for several providers", () => {
  const directory = mkdtempSync(join(tmpdir(), "berg-openid-"));
  try {
    writeFileSync(join(directory, "secret"), "from a file\n");
    const settings = readProviderSettings({
      ...school,
      OIDC_PROVIDERS: "school, discord,ctftime",
      OIDC_SCHOOL_SCOPES: "openid,profile groups",
      OIDC_SCHOOL_TITLE: "Example School",
      OIDC_SCHOOL_NAME_CLAIM: "nickname",
      OIDC_SCHOOL_ROLE_CLAIM: "realm_access.roles",
      OIDC_SCHOOL_ROLE_ADMIN: "ctf-admin, root",
      OIDC_SCHOOL_SERVICE_HOST: "10.0.0.1",
      OIDC_DISCORD_TYPE: "discord",
      OIDC_DISCORD_CLIENT_ID: "1",
      OIDC_DISCORD_CLIENT_SECRET_FILE: join(directory, "secret"),
      OIDC_CTFTIME_TYPE: "ctftime",
      OIDC_CTFTIME_CLIENT_ID: "2",
      OIDC_CTFTIME_CLIENT_SECRET: "x",
    });
    expect(settings).toMatchObject([
      {
        ...{ title: "Example School", scopes: "openid profile groups", nameClaim: "nickname" },
        ...{ roleClaim: "realm_access.roles", roleValues: { admin: ["ctf-admin", "root"] } },
      },
      { title: "Discord", issuer: "https://discord.com", scopes: "identify", clientSecret: "from a file" },
      { title: "CTFtime", issuer: "https://oauth.ctftime.org", scopes: "team:read" },
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe("is refused:", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["nothing but a name", { OIDC_PROVIDERS: "a" }, ["OIDC_A_ISSUER", "OIDC_A_CLIENT_ID", "OIDC_A_CLIENT_SECRET"]],
    ["names that are none", { OIDC_PROVIDERS: "School,a-b" }, ["OIDC_PROVIDERS", "OIDC_PROVIDERS"]],
    ["a name twice", { ...school, OIDC_PROVIDERS: "school,school" }, ["OIDC_PROVIDERS"]],
    ["a name that is a path", { OIDC_PROVIDERS: "preview" }, ["OIDC_PROVIDERS"]],
    ["an unknown type", { ...school, OIDC_SCHOOL_TYPE: "saml" }, ["OIDC_SCHOOL_TYPE"]],
    ["an issuer without TLS", { ...school, OIDC_SCHOOL_ISSUER: "http://id.example.com" }, ["OIDC_SCHOOL_ISSUER"]],
    ["an issuer that is no URL", { ...school, OIDC_SCHOOL_ISSUER: "id.example.com" }, ["OIDC_SCHOOL_ISSUER"]],
    ["an issuer with a query", { ...school, OIDC_SCHOOL_ISSUER: "https://a.example/?b" }, ["OIDC_SCHOOL_ISSUER"]],
    ["scopes without openid", { ...school, OIDC_SCHOOL_SCOPES: "profile" }, ["OIDC_SCHOOL_SCOPES"]],
    ["values without a claim", { ...school, OIDC_SCHOOL_ROLE_ADMIN: "x" }, ["OIDC_SCHOOL_ROLE_CLAIM"]],
    ["a claim without values", { ...school, OIDC_SCHOOL_ROLE_CLAIM: "x" }, ["OIDC_SCHOOL_ROLE_CLAIM"]],
    ["a misspelt setting", { ...school, OIDC_SCHOOL_ROLE_ADMN: "x" }, ["OIDC_SCHOOL_ROLE_ADMN"]],
    ["two secrets", { ...school, OIDC_SCHOOL_CLIENT_SECRET_FILE: "/x" }, ["OIDC_SCHOOL_CLIENT_SECRET_FILE"]],
    [
      "a secret file that is missing",
      { ...school, OIDC_SCHOOL_CLIENT_SECRET: "", OIDC_SCHOOL_CLIENT_SECRET_FILE: "/no/such" },
      ["OIDC_SCHOOL_CLIENT_SECRET_FILE"],
    ],
    [
      "roles of Discord, and one issuer twice",
      {
        ...{ ...school, OIDC_PROVIDERS: "school,d", OIDC_D_TYPE: "discord", OIDC_D_CLIENT_ID: "1" },
        ...{ OIDC_D_CLIENT_SECRET: "s3cret", OIDC_D_ROLE_CLAIM: "x", OIDC_D_ISSUER: school.OIDC_SCHOOL_ISSUER },
      },
      ["OIDC_D_ROLE_CLAIM", "OIDC_D_ISSUER"],
    ],
  ])("%s", (_, env, wanted) => {
    let text = "";
    try {
      readProviderSettings(env);
    } catch (error) {
      text = (error as Error).message;
    }
    expect(text.split("\n").map((line) => /^cannot read (\w+): /.exec(line)?.[1])).toEqual(wanted);
    expect(text).not.toContain("s3cret");
  });
});
