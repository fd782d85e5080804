/** How much one instance asks of the API server, from its creation until nothing of it is left. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ChallengeInstances } from "@berg/resources";
import type { InstanceBuilder } from "../../scenarios/objects.ts";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { isOfLease, type LoggedRequest } from "./audit-log.ts";
import { type Cluster, namespace } from "./cluster.ts";
import { startController } from "./controller.ts";

const limit = 20;
/** Warned while it runs, as everybody is whose time is longer than the warning's lead. */
const lifeSeconds = 10;
const warnedBeforeSeconds = 5;
/** Events are written after the fact. */
const quietMs = 1500;

export async function lifeFigures(cluster: Cluster, { say }: BenchOptions): Promise<Figure[]> {
  say("one instance at a time, its writes as the API server logged them");
  const env = { CHALLENGE_EXPIRY_WARNING: `${warnedBeforeSeconds}s` };
  await using _controller = await startController(cluster, { env });
  const byOwner = async (instance: InstanceBuilder) => {
    const { metadata } = await instance.create();
    await cluster.lives.of(metadata.name.replace("owner-", "")).running.promise;
    await cluster.client.delete(ChallengeInstances, namespace, metadata.name);
  };
  const figures: Figure[] = [];
  const measure = async (how: string, live: (ownerId: string) => Promise<unknown>) => {
    const mark = await cluster.audit.mark();
    const ownerId = randomUUID();
    await live(ownerId);
    await cluster.lives.of(ownerId).gone.promise;
    await delay(quietMs);
    const writes = (await cluster.audit.since(mark)).filter((write) => !isOfLease(write));
    say(`${how}: ${writes.map(shown).join(", ")}`);
    figures.push(
      compare({
        name: `writes in a life, ${how}, beside the limit`,
        unit: "writes",
        value: writes.length,
        beside: limit,
        goal: { atMost: 1 },
      }),
    );
  };
  await measure("ended by its owner", (ownerId) => byOwner(cluster.instance(ownerId)));
  await measure("ended by its time", (ownerId) => cluster.instance(ownerId).timeout(`${lifeSeconds}s`).create());
  await measure("created without our finalizer", (ownerId) => byOwner(cluster.instanceByHand(ownerId)));
  return figures;
}

function shown({ verb, resource, subresource }: LoggedRequest): string {
  return `${verb} ${resource}${subresource && `/${subresource}`}`;
}
