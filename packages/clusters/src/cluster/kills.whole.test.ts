/** Killed right before and right after each write, an operator leaves nothing that the next one does not finish. */
import { Informer } from "@berg/kube";
import { type Cluster, Clusters, SubscriptionRequests } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Shoot, Shoots } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { type ClusterRoleBinding, ClusterRoleBindings } from "./administrators/plan.ts";
import { type Kill, killing } from "./testing/kills.ts";
import { type Life, lives, sayAccount, takenBack, writeOf } from "./testing/lives.ts";
import { signInOf } from "./testing/told.ts";
import { gardenNamespace, namespace, startWorld, type World } from "./testing/world.ts";

/** A busy machine is no mistake of ours. */
const patience = { timeout: 60_000 };

describe("an operator that is killed at a write", () => {
  let world: World;
  const shoots = new Map<string, Set<string>>();
  const stopping = new AbortController();
  const watching: Promise<void>[] = [];

  beforeAll(async () => {
    world = await startWorld();
    const made = new Informer<Shoot>({ client: world.client, type: Shoots });
    made.onChange(({ object: { metadata } }) => {
      shoots.set(metadata.name, (shoots.get(metadata.name) ?? new Set()).add(metadata.uid));
    });
    // Plays the operator of kubeconfigs.
    const asked = new Informer<Cluster>({ client: world.client, type: Clusters });
    asked.onChange(({ object: { metadata } }) => {
      if (metadata.annotations?.[annotations.revokeAll] === "true")
        sayAccount(world, metadata.name, null).catch(() => {});
    });
    for (const informer of [made, asked]) watching.push(informer.run(stopping.signal));
  });

  afterAll(async () => {
    stopping.abort();
    await Promise.all(watching);
    await world?.[Symbol.asyncDispose]();
  });

  test.each(Object.entries<Life>(lives))(
    "leaves what the next one finishes: clusters that are %s",
    { timeout: 240_000 },
    async (life, { kills, before, begin, isOver, clock, shoots: wantShoots }) => {
      const deaths = new Map(kills.map((kill, at) => [`${life}-${at}`, kill]));
      // Never killed: what the others are compared with.
      const reference = `${life}-whole`;
      const names = [reference, ...deaths.keys()];
      const until = async (holds: Life["isOver"]) => {
        for (const name of names) {
          const message = `${name} ${JSON.stringify(deaths.get(name))}`;
          await expect.poll(() => holds(world, name), { ...patience, message }).toBe(true);
        }
      };

      if (before) {
        await using _ = await world.startOperator();
        await Promise.all(names.map((name) => before.begin(world, name)));
        await until(before.isOver);
      }
      const listener = killing(names, deaths);
      const ofOperator = clock ? { clock } : {};
      {
        await using _ = await world.startOperator({ ...ofOperator, listener });
        await Promise.all(names.map((name) => begin?.(world, name)));
        await expect.poll(() => [...listener.dead].sort(), patience).toEqual([...deaths.keys()].sort());
      }
      await using _ = await world.startOperator({ ...ofOperator, listener: listener.next });
      await until(isOver);

      const [whole, ...others] = await Promise.all(names.map((name) => leftOf(world, name)));
      for (const [at, left] of others.entries()) expect(left, JSON.stringify(kills[at])).toEqual(whole);
      for (const name of names) expect(shoots.get(name)?.size ?? 0, `Shoots ever made for ${name}`).toBe(wantShoots);
      expect(withoutKill(listener.written.get(reference) ?? [], kills)).toEqual([]);
    },
  );

  const edits = Object.entries(takenBack);
  const nothing = "leaves nothing of an edit that is taken back before the next one comes: %s";
  test.each(edits)(nothing, { timeout: 240_000 }, async (edited, { before, edit, kills }) => {
    const deaths = new Map(kills.map((kill, at) => [`${edited}-back-${at}`, kill]));
    const names = [...deaths.keys()];
    const untilEach = async (
      what: string,
      holds: (name: string) => Promise<unknown>,
      wanted: (name: string) => unknown,
    ) => {
      for (const name of names) {
        const message = `${name} ${JSON.stringify(deaths.get(name))}: ${what}`;
        await expect.poll(() => holds(name), { ...patience, message }).toEqual(wanted(name));
      }
    };
    const settled = new Map<string, unknown>();
    const specs = new Map<string, Cluster["spec"]>();
    {
      await using _ = await world.startOperator();
      await Promise.all(names.map((name) => before.begin(world, name)));
      await untilEach(
        "made",
        (name) => before.isOver(world, name),
        () => true,
      );
      for (const name of names) {
        settled.set(name, await leftOf(world, name));
        const { spec } = (await world.get(name)) ?? {};
        if (spec) specs.set(name, spec);
      }
    }
    const listener = killing(names, deaths);
    {
      await using _ = await world.startOperator({ listener });
      await Promise.all(names.map((name) => world.edit(name, (cluster) => edit(cluster, name))));
      await expect.poll(() => [...listener.dead].sort(), patience).toEqual([...names].sort());
    }
    for (const name of names) await world.edit(name, (cluster) => Object.assign(cluster, { spec: specs.get(name) }));
    await using _ = await world.startOperator();
    const isSeen = async (name: string) => {
      const { metadata, status } = (await world.get(name)) ?? {};
      return status?.observedGeneration === metadata?.generation;
    };
    await untilEach("seen", isSeen, () => true);
    await untilEach(
      "as before",
      (name) => leftOf(world, name),
      (name) => settled.get(name),
    );
  });
});

test("every step that writes has a life in which it is killed", () => {
  const writes = Object.entries(writeOf).flatMap(([step, write]) => (write === "none" ? [] : [{ step, write }]));
  const missing = writes.filter(({ write: [life, at] }) => !lives[life].kills.some((kill) => kill.at === at));
  expect(missing).toEqual([]);
});

test("a write without a kill is found", () => {
  const kills: Kill[] = [{ at: "update shoots", time: 1, stage: "before" }];
  expect(withoutKill(["update shoots"], kills)).toEqual(["update shoots 1 after"]);
  expect(withoutKill(["update shoots", "update shoots"], [...kills, { ...kills[0], stage: "after" } as Kill])).toEqual([
    "update shoots 2 before",
    "update shoots 2 after",
  ]);
});

/** Of the status one will do: how often it is written is a matter of how fast Gardener goes on. */
function withoutKill(written: readonly string[], kills: readonly Kill[]): string[] {
  const killed = new Set(kills.map(({ at, time, stage }) => `${at} ${time} ${stage}`));
  const counts = new Map<string, number>();
  const numbered = written.map((at) => {
    const time = at.endsWith("/status") ? 1 : (counts.get(at) ?? 0) + 1;
    counts.set(at, time);
    return `${at} ${time}`;
  });
  const wanted = [...new Set(numbered)].flatMap((write) => [`${write} before`, `${write} after`]);
  return wanted.filter((one) => !killed.has(one));
}

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
    administrators: await administratorsOf(world, name),
  });
  return JSON.parse(text.replaceAll(name, "NAME"));
}

/** Also of a Cluster that is gone. */
async function administratorsOf({ client }: World, name: string): Promise<string[]> {
  const labelSelector = "operator.kyma-project.io/cluster-uid";
  const { items } = await client.list<ClusterRoleBinding>(ClusterRoleBindings, { labelSelector });
  const users = items.flatMap(({ subjects = [] }) => subjects.map((subject) => subject.name));
  return users.filter((user) => user.startsWith(`${name}-`)).sort();
}
