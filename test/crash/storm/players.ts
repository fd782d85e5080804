/** What players, organisers and accidents do to instances during a storm: each instance meets one of these fates. */
import { setTimeout as delay } from "node:timers/promises";
import { isConflict, isNotFound } from "@berg/apimachinery";
import { type Client, Namespaces, type Random } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { canary } from "../../scenarios/cells.ts";
import { namespaceOf } from "../../scenarios/seeing.ts";
import type { World } from "../../scenarios/world.ts";
import type { Instance } from "../stage.ts";

/** So that ends overlap with starts. */
const lasts = { from: 15, to: 40 };

type Fate = (client: Client, instance: Instance) => Promise<unknown>;

const nothing: Fate = async () => {};

const renewed: Fate = (client, { metadata }) =>
  client.patch(ChallengeInstances, metadata.namespace ?? "", metadata.name, {
    type: "merge",
    body: { spec: { renewals: 1 } },
  });

const deleted: Fate = (client, { metadata }) =>
  client.delete(ChallengeInstances, metadata.namespace ?? "", metadata.name);

const namespaceDeleted: Fate = (client, instance) => client.delete(Namespaces, "", namespaceOf(instance));

export interface Game {
  world: World;
  challenge: string;
  random: Random;
  /** Namespaces that were deleted without Berg. */
  deletedByHand: Set<string>;
}

/** Most live until their time is over. */
const fates: readonly Fate[] = [nothing, nothing, nothing, nothing, renewed, deleted, namespaceDeleted];

/** Starts one, and lets its fate meet it at some moment of its life. */
export async function play({ world, challenge, random, deletedByHand }: Game): Promise<void> {
  const seconds = Math.round(lasts.from + random() * (lasts.to - lasts.from));
  const instance = await world
    .instance({ metadata: { namespace: world.namespace, name: challenge } })
    .flag(canary)
    .timeout(`${seconds}s`)
    .create();
  const fate = fates[Math.floor(random() * fates.length)] ?? nothing;
  await delay(random() * seconds * 1000);
  if (fate === namespaceDeleted) deletedByHand.add(namespaceOf(instance));
  await fate(world.client, instance).catch((error) => {
    // It was gone before, or is going.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
