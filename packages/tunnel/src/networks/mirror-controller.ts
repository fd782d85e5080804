/** Shows the network of each namespace as a ContainerNetwork of the namespace's name, for tunnels to name. */
import { isAlreadyExists, type ObjectKey } from "@berg/apimachinery";
import { type Clock, type Controller, deleteChild, type Manager, Namespaces, OwnWrites, watchMapped } from "@berg/kube";
import { type Engine, nodeLabel } from "@berg/local-engine";
import { ContainerNetworks, fieldManagers } from "@berg/resources";
import { planMirror } from "./plan-mirror.ts";
import { nameTakenReason, networkTexts } from "./vocabulary.ts";

export interface MirrorControllerOptions {
  engine: Engine;
  /** Whose networks are shown. */
  node: string;
  clock: Clock;
}

/** All are looked at together, in one request. */
const all: ObjectKey = "namespaces";
/** Podman does not tell when a network is made or removed. */
const lookAgainMs = 10_000;

/** To be looked at whenever there may be other networks than before. */
export function addMirrorController(manager: Manager, { engine, node, clock }: MirrorControllerOptions): Controller {
  const { client, recorder } = manager;
  const namespaces = manager.informer(Namespaces);
  const informer = manager.informer(ContainerNetworks);
  const objects = new OwnWrites(informer, clock);
  /** By UID: told of once. */
  const told = new Set<string>();

  return manager.addController({
    name: "namespace-networks",
    workers: 1,
    watches: [
      watchMapped(namespaces, () => [all]),
      watchMapped(informer, () => [all]),
      {
        informers: [],
        start(enqueue) {
          enqueue(all);
          return () => {};
        },
        all: () => [all],
      },
    ],
    async reconcile(_, { log, signal }) {
      const networks = await engine.listNetworks({ [nodeLabel]: node }, signal);
      const plan = planMirror(networks, (name) => namespaces.get(name), objects.list());
      for (const object of plan.remove) {
        await deleteChild(client, ContainerNetworks, object, { signal });
        objects.deleted(object.metadata.uid);
      }
      for (const object of plan.create) {
        const options = { fieldManager: fieldManagers.networks, signal };
        try {
          objects.wrote(await client.create(ContainerNetworks, object, options));
        } catch (error) {
          // Somebody was faster, and will be seen.
          if (!isAlreadyExists(error)) throw error;
        }
      }
      for (const object of plan.inTheWay) {
        const { name, uid } = object.metadata;
        if (told.has(uid)) continue;
        told.add(uid);
        log.warn({ namespace: name }, "a ContainerNetwork has the name that the network of a namespace is shown under");
        recorder.event(object, "Warning", nameTakenReason, networkTexts.nameTaken(name));
      }
      return { requeueAfterMs: lookAgainMs };
    },
  });
}
