/** A world for each test, with the words that tests about requests need; at its end the laws of the pool must have held. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import type { History } from "./pool-laws.ts";
import { type Servers, SubscriptionWorld } from "./world.ts";

export type StartServers = () => Promise<Servers & AsyncDisposable>;

export const soon = { timeout: 60_000, interval: 30 };

export interface Stage {
  readonly world: SubscriptionWorld;
  readonly servers: Servers;
  until(name: string, state: string | RegExp): Promise<void>;
  untilCondition(name: string, type: string, want: string): Promise<void>;
  labelsOf(account: string): Promise<Record<string, string>>;
}

/** `limits`: of tenants that may have several accounts. */
export function onStage(startServers: StartServers, options: Partial<Pick<History, "limits">> = {}): Stage {
  let servers: Servers & AsyncDisposable;
  let world: SubscriptionWorld;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    world = await SubscriptionWorld.open(servers);
  });
  afterEach(async () => {
    await world.close();
    expect(world.record.breaches(options)).toEqual([]);
  });
  return {
    get world() {
      return world;
    },
    get servers() {
      return servers;
    },
    until: (name, state) => vi.waitFor(async () => expect(await world.stateOf(name)).toMatch(exactly(state)), soon),
    untilCondition: (name, type, want) =>
      vi.waitFor(async () => expect(await world.conditionOf(name, type)).toBe(want), soon),
    labelsOf: async (account) => (await world.accountNamed(account)).metadata.labels ?? {},
  };
}

function exactly(state: string | RegExp): RegExp {
  return typeof state === "string" ? new RegExp(`^${state}$`) : state;
}
