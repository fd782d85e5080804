import type { KubeObject, Stored } from "@berg/apimachinery";
import { type Client, type ControllerOptions, ControllerRevisions, type Manager } from "@berg/kube";
import { type ChallengeInstanceStatus, ChallengeInstances, components, labels, managedByBerg } from "@berg/resources";
import { expect, test } from "vitest";
import { openCaches } from "./observe/caches.ts";
import { addRevisionController } from "./revisions.ts";
import { home, makeInstance, makeSettings } from "./testing/make-objects.ts";
import { ModelClient } from "./testing/model-client.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelInformer } from "./testing/model-informer.ts";

const tenMinutes = 600_000;

class Sweep {
  readonly cluster = new ModelCluster();
  readonly #informers: ModelInformer<KubeObject>[] = [];
  readonly #controller: ControllerOptions;

  constructor() {
    const { cluster } = this;
    const clock = { now: () => cluster.now, monotonic: () => cluster.now, setTimer: () => ({ cancel() {} }) };
    const added: ControllerOptions[] = [];
    const manager = {
      client: new ModelClient(cluster).asClient() as Client,
      addController: (options: ControllerOptions) => added.push(options),
      informer: (type: typeof ControllerRevisions, options: object) => {
        const informer = new ModelInformer(cluster, type, options);
        this.#informers.push(informer as unknown as ModelInformer<KubeObject>);
        return informer;
      },
      optionalInformer: (kind: typeof ControllerRevisions) => new ModelInformer(cluster, kind),
    } as unknown as Manager;
    addRevisionController(manager, openCaches(manager, makeSettings(), home, clock), clock);
    this.#controller = added[0] as ControllerOptions;
  }

  add(component: string = components.revision): Stored<KubeObject> {
    const marks = { [labels.managedBy]: managedByBerg, [labels.component]: component };
    return this.cluster.create("hand", ControllerRevisions, {
      metadata: { namespace: home, name: "jar-1", labels: marks },
      revision: 1,
    });
  }

  look() {
    for (const informer of this.#informers) informer.deliver();
    const { signal } = new AbortController();
    return this.#controller.reconcile(`${home}/jar-1`, { signal, log: undefined as never });
  }

  /** How often the changes since the last time asked for a look. */
  get asked(): number {
    let asked = 0;
    const ends = this.#controller.watches.map((watch) => watch.start(() => asked++));
    asked = 0;
    for (const informer of this.#informers) informer.deliver();
    for (const end of ends) end();
    return asked;
  }

  get isThere(): boolean {
    return this.cluster.find(ControllerRevisions, `${home}/jar-1`) !== undefined;
  }
}

test("a record that nobody needs goes after ten minutes", async () => {
  const sweep = new Sweep();
  sweep.add();
  expect(await sweep.look()).toEqual({ requeueAfterMs: tenMinutes });
  sweep.cluster.now += tenMinutes - 1;
  expect(await sweep.look()).toEqual({ requeueAfterMs: 1 });
  sweep.cluster.now += 1;
  expect(await sweep.look()).toBeUndefined();
  expect(sweep.isThere).toBe(false);
});

test("one that is used stays, and its ten minutes begin anew afterwards", async () => {
  const sweep = new Sweep();
  sweep.add();
  await sweep.look();
  const { object } = makeInstance().withStatus({ revision: "jar-1" });
  sweep.cluster.create("hand", ChallengeInstances, object);
  sweep.cluster.now += tenMinutes;
  expect(await sweep.look()).toBeUndefined();
  expect(sweep.isThere).toBe(true);
  sweep.cluster.delete("hand", ChallengeInstances, `${home}/jar-of-ann`);
  expect(await sweep.look()).toEqual({ requeueAfterMs: tenMinutes });
});

test("only an instance that begins or ceases to use one asks for a look", () => {
  const sweep = new Sweep();
  let instance = sweep.cluster.create("hand", ChallengeInstances, makeInstance().withStatus({}).object);
  const change = (status: ChallengeInstanceStatus) => {
    instance = sweep.cluster.updateStatus("hand", { ...instance, status });
  };
  expect(sweep.asked).toBe(0);
  change({ revision: "jar-1", phase: "Creating" });
  expect(sweep.asked).toBe(1);
  change({ revision: "jar-1", phase: "Running" });
  expect(sweep.asked).toBe(0);
  change({ revision: "jar-2" });
  expect(sweep.asked).toBe(2);
  sweep.cluster.delete("hand", ChallengeInstances, `${home}/jar-of-ann`);
  expect(sweep.asked).toBe(1);
});

test("what only looks like one is left alone", async () => {
  const sweep = new Sweep();
  sweep.add("something-else");
  expect(await sweep.look()).toBeUndefined();
  sweep.cluster.now += tenMinutes;
  await sweep.look();
  expect(sweep.isThere).toBe(true);
});
