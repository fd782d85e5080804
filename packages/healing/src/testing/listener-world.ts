/** A world with the real controller, and what tests of the listener ask of it. One for each file. */
import type { Stored } from "@berg/apimachinery";
import { Events, findCondition, Pods } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import { afterAll, beforeAll, expect, vi } from "vitest";
import type { StartWorld } from "../../../../test/scenarios/seeing.ts";
import type { World } from "../../../../test/scenarios/world.ts";
import { type ListenerTestOptions, type RunningListener, startListener } from "./start-listener.ts";

export const stuckOf = ({ status }: ChallengeInstance) => findCondition(status?.conditions, "Stuck");
export const isStuck = (instance: ChallengeInstance) => stuckOf(instance)?.status === "True";
export const poll = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 25_000, interval: 50 });

/** Longer than every default. */
export const longEnoughMs = 400_000;

export function listenerWorld(startWorld: StartWorld) {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
    await world.startController();
  }, 60_000);
  afterAll(async () => {
    await world?.stop();
  });

  async function podsOf({ metadata }: Stored<ChallengeInstance>) {
    const { items } = await world.client.list(Pods, { labelSelector: `${labels.instanceUid}=${metadata.uid}` });
    return items;
  }

  return {
    get world() {
      return world;
    },
    start: (options?: ListenerTestOptions) => startListener(world.controlPlane.connection, options),
    podsOf,

    /** What the listener told of it. */
    async eventsOf({ metadata }: Stored<ChallengeInstance>) {
      const { items } = await world.client.list(Events, { fieldSelector: `involvedObject.uid=${metadata.uid}` });
      const told = items.filter(({ source }) => source?.component === "berg-listener");
      return told.map(({ reason }) => reason).sort();
    },

    /** An instance whose pods behave so, when its pod has come to where its status says `state`. */
    async instanceThat(behaviour: string, state: string) {
      const challenge = await world.challenge().container("web").behaving(behaviour).create();
      const instance = await world.instance(challenge).create();
      await poll(async () => expect(JSON.stringify((await podsOf(instance))[0]?.status ?? {})).toContain(state));
      return instance;
    },

    read: ({ metadata }: Stored<ChallengeInstance>) =>
      world.client.get(ChallengeInstances, metadata.namespace ?? "", metadata.name),
  };
}

/** When it has looked at every pod that is there. */
export async function settled(listener: RunningListener): Promise<void> {
  await poll(async () => {
    const { body } = await listener.metrics.render();
    const figure = (name: string) =>
      body
        .split("\n")
        .filter((line) => line.startsWith(`${name}{`) && line.includes('controller="pods-'))
        .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    expect(body).toContain("berg_listener_open_records ");
    expect(figure("workqueue_depth") + figure("controller_runtime_active_workers")).toBe(0);
    expect(figure("controller_runtime_reconcile_total")).toBeGreaterThan(0);
  });
}
