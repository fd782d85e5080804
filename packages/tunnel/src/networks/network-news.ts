/** From what the engine tells to the ContainerNetworks that it concerns. */
import { keyOf, type ObjectKey } from "@berg/apimachinery";
import type { Clock, Logger, Manager, Random, Watch } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { ContainerNetworks } from "@berg/resources";
import { followEngine } from "./engine-news.ts";
import { networkNameOf } from "./names.ts";

export interface NetworkNewsOptions {
  engine: Engine;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Told whenever there may be other networks than before. */
  onNetworks(): void;
}

/** A watch of ContainerNetworks by what happens on the engine. */
export function networkNews(manager: Manager, { engine, onNetworks, ...around }: NetworkNewsOptions): Watch {
  const informer = manager.informer(ContainerNetworks);
  informer.ensureIndex("network", (object) => [networkNameOf(object)]);
  informer.ensureIndex("container", ({ status }) => status?.containers ?? []);

  return {
    informers: [],
    start(enqueue) {
      const ending = new AbortController();
      const all = () => {
        for (const object of informer.list()) enqueue(keyOf(object));
        onNetworks();
      };
      void followEngine(
        {
          ...around,
          engine,
          async container(id, signal) {
            for (const key of await concerned(id, signal)) enqueue(key);
            onNetworks();
          },
          network: all,
          missed: all,
        },
        ending.signal,
      );
      return () => ending.abort();
    },
    all: () => [],
  };

  /** The networks that it is said to be on, and those that it is on. */
  async function concerned(id: string, signal: AbortSignal): Promise<Set<ObjectKey>> {
    const { addresses = {} } = (await engine.inspectContainer(id, signal)) ?? {};
    const now = Object.keys(addresses).flatMap((name) => informer.byIndex("network", name));
    return new Set([...informer.byIndex("container", id), ...now].map(keyOf));
  }
}
