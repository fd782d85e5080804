/** nft takes whatever script we make: one that it refused would leave the old rules in place for all pods. */
import { execFileSync } from "node:child_process";
import { missingPodman } from "@berg/test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyState } from "../testing/any-state.ts";
import { applyScript, hasTable, removeTable, whyNoNft } from "./nft.ts";
import { rulesScript } from "./script.ts";

const table = `berg-test-${process.pid}`;

describe.skipIf(missingPodman())("nft", () => {
  test("takes the rules of any state", () => {
    fc.assert(
      fc.property(anyState, (state) => {
        execFileSync("nft", ["--check", "--file", "-"], { input: rulesScript(state, { table, dnsPort: 5353 }) });
      }),
      { numRuns: 60 },
    );
  });

  test("puts a table in place of itself, says whether it is there, and removes it, also twice", async () => {
    expect(await whyNoNft()).toBeUndefined();
    expect(await hasTable(table)).toBe(false);
    const script = (dnsPort: number) =>
      rulesScript(
        { bridges: [], pods: [], services: [], slices: [], policies: [], namespaces: new Map() },
        { table, dnsPort },
      );
    await applyScript(script(1));
    await applyScript(script(2));
    expect(await hasTable(table)).toBe(true);
    const listed = execFileSync("nft", ["list", "table", "inet", table], { encoding: "utf8" });
    expect(listed).toContain("redirect to :2");
    expect(listed).not.toContain("redirect to :1");
    await removeTable(table);
    await removeTable(table);
    expect(await hasTable(table)).toBe(false);
  });

  test("says what it refuses, and then changes nothing", async () => {
    await expect(applyScript(`table inet ${table} {}\nnonsense\n`)).rejects.toThrow(/^nft refused: .*syntax error/);
    expect(await hasTable(table)).toBe(false);
  });
});
