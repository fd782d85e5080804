/** Killed right before and right after each write, an operator leaves nothing that the next one does not finish. */
import { Informer } from "@berg/kube";
import { SubscriptionRequests } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Shoot, Shoots } from "../gardener/kinds.ts";
import { type Kill, killing, userOf } from "./testing/kills.ts";
import { named, oidcConfig, signInOf } from "./testing/told.ts";
import { gardenNamespace, namespace, startWorld, type World } from "./testing/world.ts";

const both = (at: string, time = 1): Kill[] => [
  { at, time, stage: "before" },
  { at, time, stage: "after" },
];

/** A busy machine is no mistake of ours. */
const patience = { timeout: 60_000 };

/** Never killed: what the others are compared with. */
const reference = "whole";

const lives: Record<"made" | "changed" | "deleted", Kill[]> = {
  made: [
    ...both("patch clusters"),
    ...both("create subscriptionrequests"),
    ...both("update clusters/status", 1),
    ...both("update clusters/status", 2),
    ...both("update clusters/status", 3),
    ...both("create configmaps"),
    ...both("create shoots"),
    ...both("create clusterrolebindings", 1),
    ...both("create clusterrolebindings", 2),
  ],
  changed: [
    ...both("update configmaps"),
    ...both("update shoots"),
    ...both("delete clusterrolebindings"),
    ...both("create clusterrolebindings"),
    ...both("update clusters/status", 1),
    ...both("update clusters/status", 2),
  ],
  deleted: [
    ...both("update clusters/status", 1),
    ...both("patch shoots"),
    ...both("delete shoots"),
    ...both("delete configmaps"),
    ...both("delete subscriptionrequests"),
    ...both("patch clusters"),
  ],
};

describe("an operator that is killed at a write", () => {
  let world: World;
  const shoots = new Map<string, Set<string>>();
  const stopping = new AbortController();
  let watching: Promise<void>;

  beforeAll(async () => {
    world = await startWorld();
    const informer = new Informer<Shoot>({ client: world.client, type: Shoots });
    informer.onChange(({ object: { metadata } }) => {
      shoots.set(metadata.name, (shoots.get(metadata.name) ?? new Set()).add(metadata.uid));
    });
    watching = informer.run(stopping.signal);
  });

  afterAll(async () => {
    stopping.abort();
    await watching;
    await world?.[Symbol.asyncDispose]();
  });

  const isMade = async (name: string) => {
    const { status } = (await world.get(name)) ?? {};
    return status?.phase === "Ready" && status.administrators?.length === 2;
  };

  test.each(Object.entries(lives))(
    "leaves what the next one finishes: clusters that are %s",
    { timeout: 240_000 },
    async (life, kills) => {
      const deaths = new Map(kills.map((kill, at) => [`${life.slice(0, 2)}-${at}`, kill]));
      const names = [`${life.slice(0, 2)}-${reference}`, ...deaths.keys()];
      const create = (name: string) =>
        world.create(name, { ...named(name), oidcConfig, administrators: [userOf(name, 1), userOf(name, 2)] });
      const change = (name: string) =>
        world.edit(name, ({ spec }) => {
          spec.administrators = [userOf(name, 2), userOf(name, 3)];
          if (spec.infrastructure) spec.infrastructure.autoScalerMax = 9;
          if (spec.oidcConfig) spec.oidcConfig.clientID = "another";
        });
      const isChanged = async (name: string) =>
        (await isMade(name)) && (await world.get(name))?.status?.administrators?.[1] === userOf(name, 3);

      if (life !== "made") {
        await using _ = await world.startOperator();
        await Promise.all(names.map(create));
        for (const name of names) await expect.poll(() => isMade(name), patience).toBe(true);
      }
      const listener = killing(deaths);
      {
        await using _ = await world.startOperator({ listener });
        if (life === "made") await Promise.all(names.map(create));
        if (life === "changed") await Promise.all(names.map(change));
        if (life === "deleted") await Promise.all(names.map((name) => world.remove(name)));
        await expect.poll(() => [...listener.dead].sort(), patience).toEqual([...deaths.keys()].sort());
      }
      await using _ = await world.startOperator();
      const ends = { made: isMade, changed: isChanged, deleted: async (name: string) => !(await world.get(name)) };
      const isOver = ends[life as keyof typeof ends];
      for (const name of names)
        await expect
          .poll(() => isOver(name), { ...patience, message: `${name} ${JSON.stringify(deaths.get(name))}` })
          .toBe(true);

      const [whole, ...others] = await Promise.all(names.map((name) => leftOf(world, name)));
      for (const [at, left] of others.entries()) expect(left, JSON.stringify(kills[at])).toEqual(whole);
      for (const name of names) expect(shoots.get(name)?.size, `Shoots ever made for ${name}`).toBe(1);
    },
  );
});

/** All that is there of a Cluster, but for names, times and identities. */
async function leftOf(world: World, name: string): Promise<unknown> {
  const cluster = await world.get(name);
  const shoot = await world.client.get(Shoots, gardenNamespace, name).catch(() => undefined);
  const subscription = await world.client.get(SubscriptionRequests, namespace, name).catch(() => undefined);
  const { phase, conditions = [] } = cluster?.status ?? {};
  const zones = shoot?.spec.provider.workers?.[0]?.zones?.length;
  const text = JSON.stringify({
    phase,
    conditions: Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status}/${reason}`]).sort()),
    shoot: shoot && { marks: Object.keys({ ...shoot.metadata.annotations, ...shoot.metadata.labels }).sort(), zones },
    maximum: shoot?.spec.provider.workers?.[0]?.maximum,
    subscription: subscription?.spec,
    signIn: await signInOf(world, name),
    administrators: cluster ? await world.administratorsOf(cluster.metadata.uid) : [],
  });
  return JSON.parse(text.replaceAll(name, "NAME"));
}
