/** What every pod of a node shares. */
import type { Client, Clock, Logger } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import type { Prober } from "../probes/prober.ts";
import type { EngineView } from "./engine-view.ts";
import type { Networks } from "./networks.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodImages } from "./pod-images.ts";
import type { Host } from "./status.ts";

export interface PodSurroundings {
  client: Client;
  engine: Engine;
  view: EngineView;
  prober: Prober;
  networks: Networks;
  images: PodImages;
  events: PodEvents;
  clock: Clock;
  log: Logger;
  node: string;
  /** What containers may add. */
  capabilities: readonly string[];
  /** Where the files of pods are. */
  dataDir: string;
  /** When this process began; what started before is from an earlier one. Wall time in ms. */
  startedAt: number;
  host(): Host;
  /** Has the pod of this key looked at again. */
  wake(key: string): void;
}
