/**
 * Removes networks that were made for a ContainerNetwork which is gone: a controller was killed, and the object went
 * before the next one came.
 */
import type { ObjectKey } from "@berg/apimachinery";
import { errorText, type Manager } from "@berg/kube";
import { type Engine, EngineError } from "@berg/local-engine";
import { ContainerNetworks } from "@berg/resources";
import { networkLabels } from "./vocabulary.ts";

const all: ObjectKey = "leftovers";
/** It happens once in a blue moon; what cannot be removed now is tried again. */
const lookAgainMs = 60_000;

export function addLeftoverController(manager: Manager, { engine, node }: { engine: Engine; node: string }): void {
  const informer = manager.informer(ContainerNetworks);
  informer.ensureIndex("uid", ({ metadata }) => [metadata.uid]);
  manager.addController({
    name: "container-network-leftovers",
    workers: 1,
    watches: [
      {
        informers: [informer],
        start(enqueue) {
          enqueue(all);
          return () => {};
        },
        all: () => [all],
      },
    ],
    async reconcile(_, { log, signal }) {
      // Networks first: one is made for an object that is known already.
      for (const { name, labels } of await engine.listNetworks({ [networkLabels.node]: node }, signal)) {
        const uid = labels[networkLabels.uid];
        if (uid === undefined || informer.byIndex("uid", uid).length > 0) continue;
        try {
          await engine.removeNetwork(name, signal);
          log.info({ network: name }, "removed the network of a ContainerNetwork that is gone");
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          log.warn({ network: name, error: errorText(error) }, "the network of a ContainerNetwork that is gone stays");
        }
      }
      return { requeueAfterMs: lookAgainMs };
    },
  });
}
