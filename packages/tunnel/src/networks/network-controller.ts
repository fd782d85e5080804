/** Makes, adopts, follows and removes the networks of ContainerNetworks: looks, has decide.ts decide, and does it. */
import { jsonEqual, type ObjectKey, type Stored } from "@berg/apimachinery";
import { addFinalizer, type Clock, type Manager, OwnWrites, removeFinalizer, type Watch, watchSelf } from "@berg/kube";
import { type Engine, EngineError } from "@berg/local-engine";
import {
  type ContainerNetwork,
  type ContainerNetworkStatus,
  ContainerNetworks,
  fieldManagers,
  finalizers,
} from "@berg/resources";
import { decide, type Seen, type Step } from "./decide.ts";
import { labelsOf, networkNameOf } from "./names.ts";
import { statusInTrouble } from "./trouble.ts";
import { networkEvents, networkTexts } from "./vocabulary.ts";

export interface NetworkControllerOptions {
  engine: Engine;
  /** Marks what is ours: one for each data directory. */
  node: string;
  clock: Clock;
  /** What the engine tells, as keys of ContainerNetworks. */
  news: Watch;
}

/** A net below what the engine tells, which is not everything. */
const resyncMs = 300_000;
/** More than any object needs in a row. */
const mostSteps = 8;

export function addNetworkController(manager: Manager, { engine, node, clock, news }: NetworkControllerOptions): void {
  const { client, recorder } = manager;
  const informer = manager.informer(ContainerNetworks);
  const objects = new OwnWrites(informer, clock);

  manager.addController({
    name: "container-networks",
    watches: [watchSelf(informer), news],
    resyncMs,
    async reconcile(key, { signal }) {
      for (let count = 0; count < mostSteps; count++) {
        const step = await goOn(key, signal);
        if (step.do === "wait") return step.forMs === undefined ? undefined : { requeueAfterMs: step.forMs };
      }
      return { requeueAfterMs: 0 };
    },
  });

  /** The step that was done. */
  async function goOn(key: ObjectKey, signal: AbortSignal): Promise<Step> {
    const object = objects.get(key);
    if (!object) return { do: "wait" };
    let during: Step["do"] | undefined;
    try {
      const step = decide(await look(object, signal));
      during = step.do;
      await doStep(object, step, signal);
      return step;
    } catch (error) {
      if (error instanceof EngineError && !signal.aborted) {
        const status = statusInTrouble(object, during, error);
        if (status) await write(object, status, signal);
      }
      // So that it is tried again, ever more rarely.
      throw error;
    }
  }

  async function look(object: Stored<ContainerNetwork>, signal: AbortSignal): Promise<Seen> {
    const name = networkNameOf(object);
    const isHeld = object.metadata.finalizers?.includes(finalizers.network) ?? false;
    const found = await engine.inspectNetwork(name, signal);
    // Docker takes the beginning of an id for a name.
    const network = found?.name === name ? found : undefined;
    const containers = network ? await engine.listNetworkContainers(name, signal) : [];
    return { object, isHeld, network, containers: containers.map(({ id }) => id) };
  }

  async function doStep(object: Stored<ContainerNetwork>, step: Step, signal: AbortSignal): Promise<void> {
    switch (step.do) {
      case "hold":
        objects.wrote(await addFinalizer(client, ContainerNetworks, object, finalizers.network, { signal }));
        break;
      case "make": {
        const { ipv6 } = object.spec;
        await engine.createNetwork({ name: networkNameOf(object), labels: labelsOf(object, node), ipv6 }, signal);
        break;
      }
      case "remove":
        // By its name: Podman looks for containers on it under that, and finds none under its id.
        await engine.removeNetwork(step.network.name, signal);
        break;
      case "write":
        await write(object, step.status, signal);
        break;
      case "letGo":
        await removeFinalizer(client, ContainerNetworks, object, finalizers.network, { signal });
        objects.gone(object.metadata.uid);
        break;
    }
  }

  /** With the version that was seen: what anybody else has written since is looked at first. */
  async function write(object: Stored<ContainerNetwork>, status: ContainerNetworkStatus, signal: AbortSignal) {
    if (jsonEqual(object.status ?? {}, status)) return;
    const options = { subresource: "status", fieldManager: fieldManagers.networks, signal };
    objects.wrote(await client.update(ContainerNetworks, { ...object, status }, options));
    if (status.state === undefined || status.state === object.status?.state) return;
    const { type, reason } = networkEvents[status.state];
    recorder.event(object, type, reason, status.message ?? networkTexts.running(networkNameOf(object)));
  }
}
