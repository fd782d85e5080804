/** nft takes whatever script we make: one that it refused would leave the old rules in place for all pods. */
import { execFileSync } from "node:child_process";
import { systemClock } from "@berg/kube";
import { missingPodman } from "@berg/test";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyState } from "../testing/any-state.ts";
import { changesOf } from "./changes.ts";
import { KernelTable } from "./kernel-table.ts";
import { applyScript, NftRefusal, removeTable, whyNoNft } from "./nft.ts";
import { OpenNft } from "./open-nft.ts";
import { rulesOf } from "./rules.ts";
import { wholeScript } from "./script.ts";

const table = `berg-test-${process.pid}`;
const settings = { table, dnsPort: 5353 };
const nothing = rulesOf({
  bridges: [],
  pods: [],
  guests: [],
  services: [],
  slices: [],
  policies: [],
  namespaces: new Map(),
});
const listed = () => execFileSync("nft", ["list", "table", "inet", table], { encoding: "utf8" });
const isThere = () => execFileSync("nft", ["list", "tables"], { encoding: "utf8" }).includes(table);
/** In one order, and without the time that is left. */
const inOrder = (text: string) =>
  text
    .replace(/ expires \S+/g, "")
    .split(/\n(?=\t(?:set|map|chain) )/)
    .map((part) =>
      part.includes("chain ")
        ? part.replace(/[\s}]+$/, "")
        : part
            .split(/[,{}\s]+/)
            .sort()
            .join(" "),
    )
    .sort();

describe.skipIf(missingPodman())("nft", () => {
  test("takes the rules of any state", () => {
    fc.assert(
      fc.property(anyState, (state) => {
        execFileSync("nft", ["--check", "--file", "-"], {
          input: wholeScript(rulesOf(state), settings),
        });
      }),
      { numRuns: 60 },
    );
  });

  test("puts a table in place of itself, and removes it, also twice", async () => {
    expect(await whyNoNft()).toBeUndefined();
    expect(isThere()).toBe(false);
    await applyScript(wholeScript(nothing, { table, dnsPort: 1 }));
    await applyScript(wholeScript(nothing, { table, dnsPort: 2 }));
    expect(listed()).toContain("redirect to :2");
    expect(listed()).not.toContain("redirect to :1");
    await removeTable(table);
    await removeTable(table);
    expect(isThere()).toBe(false);
  });

  test("any rules changed bit by bit are those that any others are as a whole", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyState, { minLength: 2, maxLength: 4 }), async (states) => {
        using nft = new OpenNft(systemClock);
        const all = states.map(rulesOf);
        for (const [index, rules] of all.entries()) {
          const before = all[index - 1];
          const changes = before && changesOf(before, rules, table);
          if (!changes) await applyScript(wholeScript(rules, settings));
          else if (changes.length > 0) await nft.run(changes);
        }
        const changed = inOrder(listed());
        await applyScript(wholeScript(all.at(-1) ?? nothing, settings));
        expect(changed).toEqual(inOrder(listed()));
        await removeTable(table);
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  test("a table that is gone is put as a whole where a change was meant", async () => {
    const kernel = new KernelTable(settings, systemClock);
    const pods = rulesOf({
      ...{ services: [], slices: [], policies: [], namespaces: new Map(), pods: [], guests: [] },
      bridges: [{ namespace: "alice", bridge: "berg-alice" }],
    });
    await kernel.put(nothing);
    expect(await kernel.renew()).toBe(true);
    await removeTable(table);
    expect(await kernel.renew()).toBe(false);
    await kernel.put(pods, nothing);
    expect(listed()).toContain("berg-alice");
    expect(listed()).toMatch(/elements = \{ 5353 timeout 1m expires/);
    await kernel.leave();
    expect(listed()).not.toContain("5353 timeout");
    await kernel.remove();
  });

  test("one that stays open takes long lines, says no to the wrong one alone, and comes back when it was ended", async () => {
    using nft = new OpenNft(systemClock);
    await nft.run([`add table inet ${table}`, `add set inet ${table} many { type ipv4_addr; }`]);
    const wrong = nft.run([`add element inet ${table} many { 10.9.9.9 }`, `add element inet ${table} none { 1 }`]);
    const addresses = Array.from({ length: 2000 }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
    const right = nft.run([`add element inet ${table} many { ${addresses.join(", ")} }`]);
    await expect(wrong).rejects.toThrow(NftRefusal);
    await right;
    expect(listed()).toContain("10.1.7.207");
    expect(listed()).not.toContain("10.9.9.9");
    nft[Symbol.dispose]();
    await nft.run([`delete table inet ${table}`]);
    expect(isThere()).toBe(false);
  });

  test("says what it refuses, and then changes nothing", async () => {
    await expect(applyScript(`table inet ${table} {}\nnonsense\n`)).rejects.toThrow(/^nft refused: .*syntax error/);
    expect(isThere()).toBe(false);
  });
});
