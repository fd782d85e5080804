import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Asked, defaultRules, matchRule, parseRules } from "./rules.ts";

const pick = (lines: string[], asked: Asked) => matchRule(parseRules(lines).rules, asked)?.text;

describe("reading", () => {
  test("a rule in all its parts", () => {
    const { rules, problems } = parseRules(["  sap-converged-cloud ( PR = cf-eu11 ,HR=eu-de-1) ->HR , S "]);
    expect(problems).toEqual([]);
    expect(rules[0]).toMatchObject({ plan: "sap-converged-cloud" });
    expect(Object.fromEntries(rules[0]?.inputs ?? [])).toEqual({ PR: "cf-eu11", HR: "eu-de-1" });
    expect([...(rules[0]?.outputs ?? [])]).toEqual(["HR", "S"]);
  });

  test.each([["aws"], ["aws()"], ["azure_lite"], ["aws( )"], [...defaultRules]])("%s", (...lines) => {
    expect(parseRules(lines).problems).toEqual([]);
  });

  test.each([
    ["", "it must be PLAN"],
    ["AWS", "it must be PLAN"],
    ["aws(", "it must be PLAN"],
    ["aws)", "it must be PLAN"],
    ["aws(PR=a)(HR=b)", "it must be PLAN"],
    ["aws => S", "it must be PLAN"],
    ["aws(EU=true)", "is not PR=… or HR=…"],
    ["aws(PR=a,)", "is not PR=… or HR=…"],
    ["aws(PR)", "has no value"],
    ["aws(PR=)", "has no value"],
    ["aws(PR=a=b)", "has no value"],
    ["aws(PR=*)", "has no value"],
    ["aws(PR=a, PR=b)", "PR is there twice"],
    ["aws -> X", "only PR, HR, S, EU"],
    ["aws -> S=true", "only PR, HR, S, EU"],
    ["aws -> S, S", "S is there twice"],
    ["aws ->", "nothing stands after the arrow"],
  ])("%j is refused, and why", (line, why) => {
    const { rules, problems } = parseRules([line]);
    expect(rules).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(why);
    expect(problems[0]).toContain(JSON.stringify(line.trim()));
  });

  test("no rule at all is refused", () => {
    expect(parseRules([]).problems).toEqual(["there is no rule: write one for each plan, such as aws"]);
  });

  test.each([
    [["aws", "aws -> S"], 1],
    [["aws(HR=a)", "aws(HR=a) -> EU"], 1],
    [["aws(HR=a)", "aws(PR=b)"], 1],
    [["aws(HR=a)", "aws(PR=b)", "aws(PR=b,HR=a)"], 0],
    [["aws(HR=a)", "aws(HR=b)"], 0],
    [["aws", "gcp", "aws(HR=a)"], 0],
    [["aws(PR=a,HR=b)", "aws(HR=b,PR=a)"], 1],
  ])("%j clash %i times", (lines, times) => {
    expect(parseRules(lines).problems).toHaveLength(times);
  });

  test("nothing that is written makes it throw", () => {
    fc.assert(fc.property(fc.array(fc.string()), (lines) => void parseRules(lines)));
  });
});

describe("which rule holds", () => {
  const lines = ["aws -> S", "aws(PR=cf-eu11) -> EU, PR", "aws(PR=cf-eu11, HR=westeu) -> EU, S, PR, HR", "gcp(HR=a)"];
  test.each([
    [{ plan: "aws" }, "aws -> S"],
    [{ plan: "aws", region: "westeu" }, "aws -> S"],
    [{ plan: "aws", platformRegion: "cf-eu11" }, "aws(PR=cf-eu11) -> EU, PR"],
    [{ plan: "aws", platformRegion: "cf-eu11", region: "other" }, "aws(PR=cf-eu11) -> EU, PR"],
    [{ plan: "aws", platformRegion: "cf-eu11", region: "westeu" }, "aws(PR=cf-eu11, HR=westeu) -> EU, S, PR, HR"],
    [{ plan: "gcp" }, undefined],
    [{ plan: "azure" }, undefined],
  ])("%j", (asked, want) => {
    expect(pick(lines, asked)).toBe(want);
  });

  test("does not depend on the order in which they are written", () => {
    const names = fc.constantFrom("a", "b", undefined);
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: lines.length }), names, names, (shuffled, one, two) => {
        const asked = { plan: "aws", platformRegion: one && "cf-eu11", region: two && "westeu" };
        expect(pick(shuffled, asked)).toBe(pick(lines, asked));
      }),
    );
  });
});
