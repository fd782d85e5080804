/** Many requests, several operators without a lease, and others who claim accounts from the same pool. */
import { setTimeout as wait } from "node:timers/promises";
import { isConflict } from "@berg/apimachinery";
import type { Random } from "@berg/kube";
import { expect, test, vi } from "vitest";
import { makePool } from "../../../../../test/gardener/accounts/accounts.ts";
import type { Binding } from "../../gardener/garden.ts";
import { bindingsOf, claimedBy, isDirty, isFree, isShared, tenantOf } from "../pool/account.ts";
import { defaultMultiAccount } from "../pool/limits.ts";
import { onStage, type StartServers } from "./stage.ts";
import type { SubscriptionWorld } from "./world.ts";

export function describeRaces(startServers: StartServers): void {
  const stage = onStage(startServers, { limits: { rich: 2 } });

  test("fifty requests of one tenant and two operators come to one account", async () => {
    const { world } = stage;
    for (let at = 0; at < 8; at++) await world.account(`a${at}`);
    await Promise.all([world.operator({ hasLease: true }), world.operator()]);
    const names = Array.from({ length: 50 }, (_, at) => `r${at}`);
    await Promise.all(names.map((name) => world.request(name)));
    await allBound(world, names);
    const accounts = await Promise.all(Array.from({ length: 8 }, (_, at) => world.accountNamed(`a${at}`)));
    expect(accounts.filter((account) => tenantOf(account) !== undefined)).toHaveLength(1);
    expect(new Set(await Promise.all(names.map((name) => world.stateOf(name)))).size).toBe(1);

    await Promise.all(names.map((name) => world.remove(name)));
    for (const name of names) await stage.until(name, "gone");
    const after = await Promise.all(Array.from({ length: 8 }, (_, at) => world.accountNamed(`a${at}`)));
    expect(after.filter(isDirty)).toHaveLength(1);
  });

  test("whoever else claims from the pool at random moments, no account ever has two tenants", async () => {
    const { world } = stage;
    for (let at = 0; at < 12; at++) await world.account(`a${at}`);
    await Promise.all([world.operator(), world.operator()]);
    const tenants = ["t1", "t2", "t3", "t4"];
    const names = tenants.flatMap((tenant) => [`${tenant}-one`, `${tenant}-two`]);
    const outside = Promise.all(["x1", "x2", "x3", "x4"].map((tenant, at) => claimOutside(world, tenant, at * 40)));
    await Promise.all(names.map((name) => world.request(name, { subscriptionSelector: name.replace(/-.*/, "") })));
    await outside;
    await allBound(world, names);
    for (const tenant of tenants)
      expect(await world.stateOf(`${tenant}-one`)).toBe(await world.stateOf(`${tenant}-two`));
  });

  test("whoever else claims for the same tenants, each is given its own, and only what we claimed is given back", async () => {
    const { world } = stage;
    const pool = makePool({ accounts: { aws: 40 }, tenants: ["x1", "x2"], random: repeatable() });
    await Promise.all(pool.map(({ name, labels }) => world.account(name, labels)));
    await world.operator();
    const tenants = Array.from({ length: 6 }, (_, at) => `t${at}`);
    const names = tenants.flatMap((tenant) => [`${tenant}-one`, `${tenant}-two`]);
    const outside = Promise.all(tenants.map((tenant, at) => claimOutside(world, tenant, at * 20)));
    await Promise.all(names.map((name) => world.request(name, { subscriptionSelector: name.replace(/-.*/, "") })));
    await outside;
    await allBound(world, names);
    for (const name of names) {
      const account = await world.accountNamed((await world.get(name))?.status?.binding?.name ?? "");
      expect([tenantOf(account), isShared(account), isDirty(account)]).toEqual([name.replace(/-.*/, ""), false, false]);
    }
    await Promise.all(names.map((name) => world.remove(name)));
    for (const name of names) await stage.until(name, "gone");
    const accounts = await Promise.all(pool.map(({ name }) => world.accountNamed(name)));
    const given = accounts.filter((account) => tenants.includes(tenantOf(account) ?? ""));
    expect(given.filter((account) => isDirty(account) !== (claimedBy(account) !== undefined))).toEqual([]);
  });

  test("a burst of a tenant that may have several accounts fills one after the other", async () => {
    const { world } = stage;
    for (let at = 0; at < 5; at++) await world.account(`a${at}`);
    const limits = { ...defaultMultiAccount.limits, aws: 2 };
    await world.operator({ settings: { multiAccount: { tenants: ["rich"], limits } } });
    const names = Array.from({ length: 7 }, (_, at) => `r${at}`);
    await Promise.all(names.map((name) => world.request(name, { subscriptionSelector: "rich" })));
    await allBound(world, names);
    const states = await Promise.all(names.map((name) => world.stateOf(name)));
    expect(states.sort()).toEqual(["a0", "a0", "a1", "a1", "a2", "a2", "a3"].map((name) => `Bound ${name}`));
  });

  test("tenants that come and go while accounts are cleaned keep the laws of the pool", {
    timeout: 240_000,
  }, async () => {
    const { world } = stage;
    for (let at = 0; at < 3; at++) await world.account(`a${at}`);
    await Promise.all([world.operator(), world.operator()]);
    const cleaning = new AbortController();
    const cleaner = cleanUntil(world, cleaning.signal);
    await Promise.all(
      ["t1", "t2", "t3", "t4"].map(async (tenant, at) => {
        for (let round = 0; round < 4; round++) {
          const names = [`${tenant}-${round}-a`, `${tenant}-${round}-b`];
          await wait(at * 17);
          for (const name of names) await world.request(name, { subscriptionSelector: tenant });
          await allBound(world, names);
          await world.remove(names[round % 2] ?? "");
          await stage.until(names[round % 2] ?? "", "gone");
          // The other one still has it.
          const other = names[(round + 1) % 2] ?? "";
          expect(await world.conditionOf(other, "Bound")).toBe("True Bound");
          await world.remove(other);
          await stage.until(other, "gone");
        }
      }),
    );
    cleaning.abort();
    await cleaner;
    for (let at = 0; at < 3; at++) {
      const account = await world.accountNamed(`a${at}`);
      expect(isDirty(account) || isFree(account)).toBe(true);
    }
  });
}

async function allBound(world: SubscriptionWorld, names: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const states = await Promise.all(names.map((name) => world.stateOf(name)));
      expect(states.filter((state) => !state.startsWith("Bound"))).toEqual([]);
    },
    { timeout: 100_000, interval: 100 },
  );
}

/** The same numbers each time. */
function repeatable(): Random {
  let state = 7;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** As another who knows the pool does: looks for its own, else writes its name on the first that is free. */
async function claimOutside(world: SubscriptionWorld, tenant: string, delayMs: number): Promise<void> {
  await wait(delayMs);
  const type = bindingsOf(world.poolKind);
  for (;;) {
    const { items } = await world.gardenClient.list<Binding>(type, { namespace: world.gardenNamespace });
    if (items.some((account) => tenantOf(account) === tenant)) return;
    const free = items.find(isFree);
    if (!free) return;
    const { name, resourceVersion } = free.metadata;
    const patch = { type: "merge", body: { metadata: { resourceVersion, labels: { tenantName: tenant } } } } as const;
    await world.gardenClient.patch<Binding>(type, world.gardenNamespace, name, patch).catch((error) => {
      if (!isConflict(error)) throw error;
    });
  }
}

async function cleanUntil(world: SubscriptionWorld, signal: AbortSignal): Promise<void> {
  const type = bindingsOf(world.poolKind);
  while (!signal.aborted) {
    const { items } = await world.gardenClient.list<Binding>(type, { namespace: world.gardenNamespace });
    for (const account of items.filter(isDirty))
      await world.label(account.metadata.name, { dirty: null, tenantName: null });
    await wait(100);
  }
}
