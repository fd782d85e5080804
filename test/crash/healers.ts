/** Lives in which the listener or the janitor has something to do. The controller beside them is left in peace. */
import { randomUUID } from "node:crypto";
import { addJanitor, readJanitorSettings } from "@berg/healing";
import { Deployments, Namespaces, ServerClock, systemClock } from "@berg/kube";
import { components, labels, managedByBerg } from "@berg/resources";
import { runInProcess } from "../scenarios/in-process.ts";
import { conditionOf, isRunning } from "../scenarios/seeing.ts";
import type { Life } from "./lives.ts";
import { controllerInProcess, type Stage, type Start } from "./stage.ts";

export const listenerInProcess: Start = (world, only) =>
  world.startListener({ only, env: { STUCK_IGNORE_YOUNGER: "1s", STUCK_ERROR_AFTER: "1s" } });

/** One life at a time: a janitor looks after all instances, whatever namespace they are in. */
export const janitorInProcess: Start = (world) =>
  runInProcess("janitor", world.controlPlane.connection, {}, (manager, metrics) =>
    addJanitor(manager, {
      settings: readJanitorSettings({ JANITOR_GRACE: "1s", GHOST_GRACE: "1s" }),
      intervalMs: 1000,
      metrics,
      // Not set by any answer: it is the machine's own, as the server's is.
      clock: new ServerClock(systemClock),
    }),
  );

export const listenerLives: readonly Life[] = [
  { name: "listened to until its owner ends it", live: listenedTo },
  { name: "found stuck", live: foundStuck },
];

export const janitorLives: readonly Life[] = [
  { name: "over while the controller is down", live: overWithoutController },
  { name: "a ghost", live: ghost },
];

async function listenedTo(stage: Stage): Promise<void> {
  await stage.beside(controllerInProcess);
  const challenge = await stage.challenge().create();
  const instance = await stage.create(stage.instance(challenge));
  await stage.stop("noted", instance, (seen) => {
    const { state, pods = [] } = seen.status?.runtime ?? {};
    return isRunning(seen) && state === "RUNNING" && pods.length === 1;
  });
  await stage.remove(instance);
  await stage.gone(instance);
}

async function foundStuck(stage: Stage): Promise<void> {
  await stage.beside(controllerInProcess);
  const challenge = await stage.challenge().behaving("image-pull backoff=100ms message=manifest unknown").create();
  const instance = await stage.create(stage.instance(challenge));
  await stage.stop("stuck", instance, (seen) => {
    const { phase, runtime } = seen.status ?? {};
    return conditionOf(seen, "Stuck")?.status === "True" && phase === "Failed" && runtime?.pods?.length === 1;
  });
  await stage.remove(instance);
  await stage.gone(instance);
}

async function overWithoutController(stage: Stage): Promise<void> {
  const controller = await stage.beside(controllerInProcess);
  const challenge = await stage.challenge().create();
  const instance = await stage.create(stage.instance(challenge).timeout("6s"));
  await stage.stop("running", instance, isRunning);
  await controller.kill();
  await stage.nothingIsLeft();
  // The last word is the controller's.
  await stage.beside(controllerInProcess);
  await stage.gone(instance);
}

async function ghost(stage: Stage): Promise<void> {
  const { client } = stage.world;
  const uid = randomUUID();
  const marks = {
    [labels.managedBy]: managedByBerg,
    [labels.instanceUid]: uid,
    [labels.component]: components.namespace,
  };
  const name = `challenge-${randomUUID()}`;
  stage.uids.add(uid);
  await client.create(Namespaces, { metadata: { name, labels: marks } });
  const matchLabels = { app: "ghost" };
  await client.create(Deployments, {
    metadata: { namespace: name, name: "web", labels: { ...marks, [labels.component]: components.deployment } },
    spec: {
      replicas: 0,
      selector: { matchLabels },
      template: { metadata: { labels: matchLabels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await stage.nothingIsLeft();
}
