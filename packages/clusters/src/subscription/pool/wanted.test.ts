import { parseLabelSelector } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeAccount, makeSpec } from "../testing/accounts.ts";
import { isWanted, poolSelector } from "./account.ts";
import { defaultMultiAccount, limitOf } from "./limits.ts";
import { parseRules } from "./rules.ts";
import { givenTo, lineOf, type Wanted, wantedOf } from "./wanted.ts";

const { rules } = parseRules([
  "aws",
  "aws(PR=cf-eu11) -> EU",
  "gcp",
  "gcp(PR=cf-sa30) -> PR",
  "trial -> S",
  "sap-converged-cloud -> HR, S",
  "both -> PR, HR",
]);

test.each([
  [{}, { hyperscalerType: "aws", euAccess: false, tenant: "t1" }],
  [{ subscriptionSelector: "shared" }, { hyperscalerType: "aws", euAccess: false, tenant: undefined }],
  [{ euAccess: true }, { hyperscalerType: "aws", euAccess: true, tenant: "t1" }],
  [
    { platformRegion: "cf-eu11", euAccess: false },
    { hyperscalerType: "aws", euAccess: true, tenant: "t1" },
  ],
  [
    { provider: "gcp" as const, platformRegion: "cf-sa30" },
    { hyperscalerType: "gcp_cf-sa30", tenant: "t1" },
  ],
  [
    { provider: "gcp" as const, platformRegion: "cf-eu30" },
    { hyperscalerType: "gcp", tenant: "t1" },
  ],
  [{ plan: "trial" }, { hyperscalerType: "aws", tenant: undefined }],
  [
    { provider: "openstack" as const, plan: "sap-converged-cloud", region: "eu-de-1" },
    { provider: "openstack", hyperscalerType: "openstack_eu-de-1", tenant: undefined },
  ],
  [
    { plan: "both", platformRegion: "p", region: "r" },
    { hyperscalerType: "aws_p_r", tenant: "t1" },
  ],
])("%j", (spec, want) => {
  expect(wantedOf(makeSpec(spec), rules)).toMatchObject(want);
});

test.each([
  [{ subscriptionSelector: "a b" }, 'subscriptionSelector "a b"'],
  [{ plan: "none" }, 'no rule of the pool holds for the plan "none"'],
  [{ provider: "azure" as const }, "There are rules for aws, gcp, trial, sap-converged-cloud, both"],
  [{ plan: "both", region: "r" }, "platformRegion is missing"],
  [{ plan: "both", platformRegion: "p" }, "region is missing"],
  [{ plan: "both", platformRegion: "p".repeat(40), region: "r".repeat(40) }, "no account can be of that type"],
])("%j is refused", (spec, why) => {
  expect((wantedOf(makeSpec(spec), rules) as { problem: string }).problem).toContain(why);
});

describe("the selector that goes to the server", () => {
  test.each([
    [{ euAccess: false, tenant: "t" }, "hyperscalerType=aws,!euAccess,shared!=true"],
    [{ euAccess: true, tenant: "t" }, "hyperscalerType=aws,euAccess=true,shared!=true"],
    [{ euAccess: false, tenant: undefined }, "hyperscalerType=aws,!euAccess,shared=true"],
  ])("%j", (part, want) => {
    expect(poolSelector({ provider: "aws", hyperscalerType: "aws", ...part })).toBe(want);
  });

  test("selects what the copy is asked for", () => {
    const some = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const labels = fc.record({
      hyperscalerType: some("aws", "gcp"),
      euAccess: some("true", "false"),
      shared: some("true", "false", "yes"),
    });
    fc.assert(
      fc.property(labels, fc.boolean(), fc.boolean(), (given, euAccess, isShared) => {
        const wanted: Wanted = {
          provider: "aws",
          hyperscalerType: "aws",
          euAccess,
          tenant: isShared ? undefined : "t",
        };
        const account = makeAccount("a");
        account.metadata.labels = Object.fromEntries(
          Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined),
        );
        expect(isWanted(account, wanted)).toBe(
          parseLabelSelector(poolSelector(wanted)).matches(account.metadata.labels),
        );
      }),
    );
  });
});

test("requests that may want the same account are in one line, and no others", () => {
  const line = (spec: object) => lineOf(wantedOf(makeSpec(spec), rules) as Wanted);
  expect(line({ subscriptionSelector: "globalaccount:t1" })).toBe(line({}));
  const different = [{}, { subscriptionSelector: "t2" }, { subscriptionSelector: "shared" }, { euAccess: true }];
  expect(new Set(different.map(line)).size).toBe(different.length);
});

test.each([
  [[], "t1", "aws", undefined],
  [["t2"], "t1", "aws", undefined],
  [["t1"], "t1", "aws", 180],
  [["*"], "t1", "azure", 3],
  [["*"], undefined, "aws", undefined],
])("tenants %j: %s on %s may have %s clusters an account", (tenants, tenant, provider, want) => {
  const wanted = { provider, hyperscalerType: provider, euAccess: false, tenant };
  expect(limitOf({ ...defaultMultiAccount, tenants }, wanted)).toBe(want);
});

test.each([
  [
    { hyperscalerType: "gcp_x", shared: false },
    { hyperscalerType: "gcp_x", tenant: "t1" },
  ],
  [
    { hyperscalerType: "aws", shared: true },
    { hyperscalerType: "aws", tenant: undefined },
  ],
])("whoever was given %j keeps to it, whatever the rules are", (status, want) => {
  expect(givenTo(makeSpec(), status)).toMatchObject(want);
});

test("a status that does not say what was given says nothing", () => {
  expect(givenTo(makeSpec(), {})).toBeUndefined();
  expect(givenTo(makeSpec(), { hyperscalerType: "aws" })).toBeUndefined();
});
