/** Each way in which an instance can go through its life, with all the writes that this takes. Each ends with nothing. */
import { setTimeout as delay } from "node:timers/promises";
import { Namespaces, Services } from "@berg/kube";
import { eventually } from "../runtime/eventually.ts";
import { isIn, isRunning, namespaceOf } from "../scenarios/seeing.ts";
import type { Instance, Stage } from "./stage.ts";

export interface Life {
  name: string;
  live(stage: Stage): Promise<void>;
}

export const lives: readonly Life[] = [
  { name: "renewed, then its time is over", live: renewedThenOver },
  { name: "ended by its owner", live: endedByItsOwner },
  { name: "ended by the organiser", live: endedByTheOrganiser },
  { name: "one that waits for the owner's other one", live: ownerBusy },
  { name: "its namespace is deleted by hand", live: namespaceDeleted },
  { name: "its Challenge comes late", live: challengeLate },
  { name: "its flag comes late", live: flagLate },
  { name: "refused by the server", live: refused },
  { name: "spoilt by hand, and repaired", live: repaired },
];

async function run(stage: Stage): Promise<Instance> {
  const challenge = await stage.challenge().create();
  const instance = await stage.create(stage.instance(challenge));
  return stage.stop("running", instance, isRunning);
}

async function renewedThenOver(stage: Stage): Promise<void> {
  const instance = await run(stage);
  // Two seconds later, or there is nothing to gain.
  const gainAt = Date.parse(instance.status?.startedAt ?? "") + 2000;
  await delay(Math.max(0, gainAt - Date.now()));
  await stage.change(instance, { renewals: 1 });
  await stage.stop("renewed", instance, ({ status }) => status?.renewals === 1);
  await stage.change(instance, { until: new Date(Date.now() + 2000).toISOString().replace(/\.\d+/, "") });
  await stage.gone(instance);
}

async function endedByItsOwner(stage: Stage): Promise<void> {
  const instance = await run(stage);
  await stage.remove(instance);
  await stage.gone(instance);
}

async function endedByTheOrganiser(stage: Stage): Promise<void> {
  const instance = await run(stage);
  await stage.change(instance, { terminationReason: "AdminTermination" });
  await stage.gone(instance);
}

async function ownerBusy(stage: Stage): Promise<void> {
  const first = await run(stage);
  const { ownerId, challengeRef } = first.spec;
  const next = stage
    .instance({ metadata: challengeRef })
    .ownedBy(ownerId)
    .metadata({ namespace: first.metadata.namespace, name: `second-${ownerId}` });
  const second = await stage.create(next);
  await stage.stop("busy", second, isIn("Failed", "OwnerBusy"));
  await stage.remove(first);
  await stage.stop("second running", second, isRunning);
  await stage.remove(second);
  await stage.gone(first);
  await stage.gone(second);
}

async function namespaceDeleted(stage: Stage): Promise<void> {
  const instance = await run(stage);
  await stage.world.client.delete(Namespaces, "", namespaceOf(instance));
  await stage.gone(instance);
}

async function challengeLate(stage: Stage): Promise<void> {
  const challenge = stage.challenge();
  const instance = await stage.create(stage.instance(challenge.manifest));
  await stage.stop("missing", instance, isIn("Failed", "ChallengeMissing"));
  await challenge.create();
  await stage.stop("running", instance, isRunning);
  await stage.remove(instance);
  await stage.gone(instance);
}

async function flagLate(stage: Stage): Promise<void> {
  const challenge = await stage.challenge().create();
  const given = stage.instance(challenge).manifest.spec.flag;
  const instance = await stage.create(stage.instance(challenge).flag(undefined));
  await stage.stop("without flag", instance, isIn("Failed", "FlagMissing"));
  await stage.change(instance, { flag: given });
  await stage.stop("running", instance, isRunning);
  await stage.remove(instance);
  await stage.gone(instance);
}

async function refused(stage: Stage): Promise<void> {
  const challenge = await stage.world
    .challenge()
    .container("web", { image: "deployments.invalid.example.com/web:1" })
    .create();
  const instance = await stage.create(stage.instance(challenge));
  await stage.stop("refused", instance, isIn("Failed", "ManifestRefused"));
  await stage.remove(instance);
  await stage.gone(instance);
}

/** Nothing that pods hang on: how they are is seen sooner or later, and so is no matter for comparison. */
async function repaired(stage: Stage): Promise<void> {
  const { client } = stage.world;
  const instance = await run(stage);
  const namespace = namespaceOf(instance);
  const { metadata } = await client.get(Services, namespace, "web");
  await client.delete(Services, namespace, "web");
  await eventually("the Service is made anew", async () => {
    const there = await client.get(Services, namespace, "web").catch(() => undefined);
    return there && there.metadata.uid !== metadata.uid;
  });
  await client.patch(Services, namespace, "web", { type: "merge", body: { spec: { selector: { to: "nobody" } } } });
  await eventually("the Service is as it was", async () => {
    const { spec } = await client.get(Services, namespace, "web");
    return spec?.selector?.to === undefined;
  });
  await stage.remove(instance);
  await stage.gone(instance);
}
