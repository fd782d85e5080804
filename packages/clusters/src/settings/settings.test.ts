import { describe, expect, test } from "vitest";
import { clusterSettingsReference, readClusterSettings } from "./settings.ts";

const least = { GARDEN_PROJECT: "ctf" };

describe("settings of the cluster operators", () => {
  test("have defaults, but for the project", () => {
    const settings = readClusterSettings({ ...least, POOL_KIND: " " });
    expect(settings).toMatchObject({
      garden: { namespace: "garden-ctf", poolKind: "CredentialsBinding", rate: { perSecond: 5, burst: 10 } },
      subscription: { multiAccount: { tenants: [], limits: { default: 3, aws: 180 } } },
      kubeconfig: { rotationGraceMs: 30_000, allowEscalating: false },
      byoc: { allowedCidrs: [] },
    });
    expect(settings.subscription.rules.map(({ text }) => text)).toEqual([
      "aws",
      "azure",
      "gcp",
      "openstack",
      "alicloud",
    ]);
    expect(() => readClusterSettings({})).toThrow("cannot read GARDEN_PROJECT: it is not set");
  });

  test("are what the environment says", () => {
    const settings = readClusterSettings({
      ...least,
      POOL_KIND: "SecretBinding",
      POOL_RULES: "aws;\n gcp(PR=cf-sa30) -> PR\ntrial -> S;",
      MULTI_ACCOUNT_TENANTS: "abcd-0001, abcd-0002",
      MULTI_ACCOUNT_LIMITS: "aws=2,default=1",
      BYOC_ALLOW_CIDRS: "127.0.0.0/8,::1",
      ROTATION_GRACE: "0s",
      ALLOW_ESCALATING_RULES: "true",
    });
    expect(settings.subscription.rules.map(({ text }) => text)).toEqual(["aws", "gcp(PR=cf-sa30) -> PR", "trial -> S"]);
    expect(settings).toMatchObject({
      garden: { poolKind: "SecretBinding" },
      subscription: {
        multiAccount: { tenants: ["abcd-0001", "abcd-0002"], limits: { aws: 2, default: 1, gcp: 135 } },
      },
      kubeconfig: { rotationGraceMs: 0, allowEscalating: true },
      byoc: { allowedCidrs: ["127.0.0.0/8", "::1"] },
    });
  });

  test("name all mistakes at once", () => {
    const read = () =>
      readClusterSettings({
        GARDEN_PROJECT: "Not_One",
        POOL_KIND: "Secret",
        POOL_RULES: "aws; aws; gcp(XX=1)",
        MULTI_ACCOUNT_TENANTS: "a b,c d",
        MULTI_ACCOUNT_LIMITS: "aws=0,azure",
        BYOC_ALLOW_CIDRS: "10.0.0.0/40,x",
        ROTATION_GRACE: "2h",
        ALLOW_ESCALATING_RULES: "yes",
        GARDEN_BURST: "0",
      });
    expect(read).toThrow(
      [
        'cannot read GARDEN_PROJECT: "Not_One" is not the name of a project: 1-10 of a-z, 0-9 and "-"',
        'cannot read POOL_KIND: "Secret" is none of CredentialsBinding, SecretBinding',
        'cannot read GARDEN_BURST: "0" is not a whole number from 1 to 1000',
        'cannot read POOL_RULES: cannot read the rule "gcp(XX=1)": "XX=1" is not PR=… or HR=…',
        'cannot read POOL_RULES: the rules "aws" and "aws" hold for the same requests: drop one',
        'cannot read MULTI_ACCOUNT_TENANTS: "a b" is not a tenant: it must be a label\'s value',
        'cannot read MULTI_ACCOUNT_TENANTS: "c d" is not a tenant: it must be a label\'s value',
        'cannot read MULTI_ACCOUNT_LIMITS: "aws=0" is not a limit such as aws=180 (from 1 to 99999)',
        'cannot read MULTI_ACCOUNT_LIMITS: "azure" is not a limit such as aws=180 (from 1 to 99999)',
        'cannot read BYOC_ALLOW_CIDRS: "10.0.0.0/40" is not a subnet such as 10.0.0.0/8 or fd00::/8',
        'cannot read BYOC_ALLOW_CIDRS: "x" is not a subnet such as 10.0.0.0/8 or fd00::/8',
        'cannot read ROTATION_GRACE: "2h" is not a time from 0s to 1h, such as 30s',
        'cannot read ALLOW_ESCALATING_RULES: "yes" is none of true, false',
      ].join("\n"),
    );
  });

  test("what the reference shows as defaults are the defaults", () => {
    const shown = Object.fromEntries(clusterSettingsReference().map(({ name, default: value }) => [name, value]));
    expect(readClusterSettings({ ...shown, ...least })).toEqual(readClusterSettings(least));
    for (const { description } of clusterSettingsReference()) expect(description).toMatch(/^[A-Z].*\.$/s);
  });
});
