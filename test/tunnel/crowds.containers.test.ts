/** An attacker who comes in great numbers by a tunnel: others are still served, and all is well when it is gone. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { answered, entranceOf, patience, sayHello, underAttack } from "./attacked.ts";
import { Attacker } from "./attacker.ts";

/** As the spec has it where it says nothing. */
const mostStreams = 1024;

/** For nft: the answers to calls do not come in. */
const deaf =
  "table inet deaf { chain in { type filter hook input priority 0; tcp flags & (syn|ack) == (syn|ack) drop; }; }";

interface Counts {
  tried: number;
  open: number;
  refused: number;
}

underAttack((given) => {
  /** In the attacker's pod, at the tunnel `first`. */
  async function crowd(howMany: number, atOnce: number) {
    const { host, port } = entranceOf(given.status, "first");
    const command = ["node", "/attacks/crowd.ts", host, String(port), String(howMany), String(atOnce)];
    const there = await Attacker.enter(given.machine, `container:${given.attacker.id}`, command);
    const counts = async (): Promise<Counts> => JSON.parse((await there.lastLine()) || "{}");
    return { counts, [Symbol.asyncDispose]: () => there[Symbol.asyncDispose]() };
  }
  const areServed = async (from: Attacker, tunnel: string) =>
    expect(await sayHello(from, given.status, tunnel, 20)).toEqual(Array(20).fill(answered));

  test("clients who never say a word keep nobody waiting, and are gone when they go", async () => {
    {
      await using silent = await crowd(200, 100);
      const all = { tried: 200, open: 200, refused: 0 };
      await vi.waitFor(async () => expect(await silent.counts()).toEqual(all), patience);
      for (const from of [given.attacker, given.player])
        for (const tunnel of ["first", "second"]) await areServed(from, tunnel);
      expect(await silent.counts()).toEqual(all);
    }
    await vi.waitFor(() => expect(given.callers.size).toBe(0), patience);
  }, 300_000);

  test("10,000 clients of one tunnel are let in up to its limit, the other tunnel works meanwhile, and this one after", async () => {
    {
      await using many = await crowd(10_000, 500);
      const settled = async () => {
        const { tried, open, refused } = await many.counts();
        expect({ tried, known: open + refused }).toEqual({ tried: 10_000, known: 10_000 });
        expect(open).toBeGreaterThan(0);
        expect(open).toBeLessThanOrEqual(mostStreams);
      };
      await vi.waitFor(settled, patience);
      expect(given.callers.size).toBeLessThanOrEqual(mostStreams);
      for (const from of [given.attacker, given.player]) await areServed(from, "second");
      await settled();
    }
    await vi.waitFor(() => expect(given.callers.size).toBe(0), patience);
    await vi.waitFor(() => areServed(given.player, "first"), patience);
    await areServed(given.player, "second");
  }, 300_000);

  test("10,000 connections that are never completed keep nobody out", async () => {
    const { machine, status, attacker, player } = given;
    const inPod = async (script: string) =>
      execFileSync("nsenter", ["-t", String(await attacker.pid()), "-n", "nft", script]);
    // The answers to its calls do not reach the attacker, so that none of them is completed.
    await inPod(deaf);
    const clientProxy = await machine.engine.inspectContainer(status.clientProxyContainerId ?? "");
    const received = "03";
    const halfOpen = () =>
      readFileSync(`/proc/${clientProxy?.pid}/net/tcp`, "utf8")
        .split("\n")
        .filter((line) => line.trim().split(/\s+/)[3] === received).length;
    {
      await using many = await crowd(10_000, 10_000);
      await vi.waitFor(async () => expect((await many.counts()).tried).toBe(10_000), patience);
      await vi.waitFor(() => expect(halfOpen()).toBeGreaterThan(100), patience);
      for (const tunnel of ["first", "second"]) await areServed(player, tunnel);
      expect(await many.counts()).toMatchObject({ open: 0 });
    }
    await inPod("delete table inet deaf");
    await vi.waitFor(() => areServed(attacker, "first"), patience);
  }, 300_000);
});
