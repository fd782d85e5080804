/** The pods that are bound to this node: each is looked at when something of it changes, and those left over end. */
import { readdir } from "node:fs/promises";
import { keyOf, type ObjectKey, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type ConfigMap,
  ConfigMaps,
  Controller,
  errorText,
  Informer,
  type Logger,
  type Pod,
  Pods,
  type Result,
  type Secret,
  Secrets,
  watchSelf,
} from "@berg/kube";
import type { Engine, Container as EngineContainer } from "@berg/local-engine";
import { readLabels } from "../containers/labels.ts";
import { findContainer } from "../containers/shapes.ts";
import { Prober } from "../probes/prober.ts";
import { objectsOfVolume } from "../volumes/used-objects.ts";
import { EngineView } from "./engine-view.ts";
import { leftOver } from "./left-over.ts";
import { metadataOnly } from "./metadata-only.ts";
import type { Networks } from "./networks.ts";
import { podDirectory, podsDirectory, terminationFile } from "./pod-directory.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodImages } from "./pod-images.ts";
import { PodRun } from "./pod-run.ts";
import type { Host } from "./status.ts";
import type { PodSurroundings } from "./surroundings.ts";
import { terminationMessage } from "./termination-message.ts";

export interface NodePodsOptions {
  client: Client;
  engine: Engine;
  networks: Networks;
  images: PodImages;
  events: PodEvents;
  clock: Clock;
  log: Logger;
  node: string;
  dataDir: string;
  /** What containers may add. */
  capabilities: readonly string[];
  host(): Host;
  /** The engine went, or came back. */
  onReach(): void;
}

const workers = 16;
const byUid = "uid";

export class NodePods {
  readonly view: EngineView;
  readonly controller: Controller;
  readonly #options: NodePodsOptions;
  readonly #informer: Informer<Pod>;
  readonly #configMaps: Informer<ConfigMap>;
  readonly #secrets: Informer<Secret>;
  readonly #prober: Prober;
  readonly #around: PodSurroundings;
  /** By UID: of one name there may be two, while the first one ends. */
  readonly #runs = new Map<string, PodRun>();
  #isSynced = false;
  #hasLeftOvers = true;

  constructor(options: NodePodsOptions) {
    const { client, engine, clock, log, node, events } = options;
    this.#options = options;
    const selection = { fieldSelector: `spec.nodeName=${node}` };
    this.#informer = new Informer({ client, type: Pods, selection, clock, log });
    // Only that they changed is of interest; what they hold is read when it is written, and kept nowhere.
    this.#configMaps = new Informer({ client, type: ConfigMaps, transform: metadataOnly, clock, log });
    this.#secrets = new Informer({ client, type: Secrets, transform: metadataOnly, clock, log });
    const wake = (key: ObjectKey) => this.controller.queue.add(key);
    this.view = new EngineView({
      ...{ engine, node, clock, log },
      messageOf: (container) => this.#messageOf(container),
      onChange: (uid) => this.#wakeUid(uid),
      onReach: () => {
        options.onReach();
        for (const uid of this.view.uids) this.#wakeUid(uid);
        for (const run of this.#runs.values()) wake(run.key);
      },
    });
    this.#prober = new Prober({
      ...{ engine, clock, log },
      onChange: (pod) => wake(keyOf(pod)),
      onUnhealthy: (pod, container, reason, message) => events.ofContainer(pod, container, "Warning", reason, message),
    });
    this.#around = { ...options, view: this.view, prober: this.#prober, startedAt: clock.now(), wake };
    this.controller = new Controller(
      {
        name: "pods",
        watches: [watchSelf(this.#informer)],
        reconcile: (key, { signal }) => this.#reconcile(key, signal),
        workers,
      },
      { clock, log },
    );
    this.#informer.ensureIndex(byUid, ({ metadata }) => [metadata.uid]);
    this.#informer.onChange(({ type, object }) => {
      if (type === "deleted") this.#runs.get(object.metadata.uid)?.gone(object);
    });
    this.#configMaps.onChange(({ object }) => this.#refreshUsers(object, "configMaps"));
    this.#secrets.onChange(({ object }) => this.#refreshUsers(object, "secrets"));
  }

  /** Resolves when everything that was there is known; runs until aborted, and `ended` then resolves. */
  async start(signal: AbortSignal): Promise<{ ended: Promise<unknown> }> {
    const informers = [this.#informer, this.#configMaps, this.#secrets];
    const parts = [...informers.map((informer) => informer.run(signal)), this.view.run(signal)];
    await Promise.all(informers.map((informer) => informer.synced(signal)));
    await this.view
      .relist(signal)
      .catch((error) => this.#options.log.debug({ error: errorText(error) }, "no engine yet"));
    this.#isSynced = true;
    const directories = await readdir(podsDirectory(this.#options.dataDir)).catch(() => []);
    for (const uid of new Set([...this.view.uids, ...directories])) this.#wakeUid(uid);
    await this.#releaseUnused();
    return { ended: Promise.all([...parts, this.controller.run(signal, signal)]) };
  }

  /** Ends what is being done. */
  async stop(): Promise<void> {
    this.#prober.stop();
    await Promise.all([...this.#runs.values()].map((run) => run.stop()));
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const pod = this.#informer.get(key);
    if (pod) this.#runOf(pod).saw(pod);
    const waits: number[] = [];
    for (const run of [...this.#runs.values()].filter((run) => run.key === key)) {
      if (run.isOver) {
        this.#runs.delete(run.uid);
        continue;
      }
      const wait = await run.pass(signal);
      if (wait !== undefined) waits.push(wait);
    }
    await this.#releaseUnused();
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
  }

  /** Once, when nothing of an earlier run is left to be found out. */
  async #releaseUnused(): Promise<void> {
    if (!this.#hasLeftOvers || this.view.reach.is === "gone") return;
    const isEveryoneKnown = this.#informer.list().every(({ metadata }) => this.#runs.has(metadata.uid));
    if (!isEveryoneKnown || ![...this.#runs.values()].every((run) => run.isKnown)) return;
    this.#hasLeftOvers = false;
    const { networks, log } = this.#options;
    await networks
      .removeUnused()
      .catch((error) => log.warn({ error: errorText(error) }, "networks of an earlier run could not be removed"));
  }

  #runOf(pod: Stored<Pod>): PodRun {
    const { uid } = pod.metadata;
    let run = this.#runs.get(uid);
    if (!run) {
      run = new PodRun(pod, this.#around);
      this.#runs.set(uid, run);
    }
    return run;
  }

  /** Of a pod that is no more, the engine or a directory may still have something. */
  #wakeUid(uid: string): void {
    let run = this.#runs.get(uid);
    if (!run) {
      if (!this.#isSynced || this.#podOf(uid)) return;
      run = new PodRun(leftOver(uid, this.view.pod(uid)), this.#around, true);
      this.#runs.set(uid, run);
    }
    this.controller.queue.add(run.key);
  }

  #podOf(uid: string): Stored<Pod> | undefined {
    return this.#runs.get(uid)?.pod ?? this.#informer.byIndex(byUid, uid)[0];
  }

  #refreshUsers({ metadata }: Stored<ConfigMap | Secret>, kind: "configMaps" | "secrets"): void {
    for (const run of this.#runs.values()) {
      const { pod } = run;
      if (pod.metadata.namespace !== metadata.namespace) continue;
      if (!pod.spec?.volumes?.some((volume) => objectsOfVolume(volume)[kind].has(metadata.name))) continue;
      run.refreshVolumes();
      this.controller.queue.add(run.key);
    }
  }

  #messageOf(container: EngineContainer): Promise<string | undefined> {
    const identity = readLabels(container.labels);
    const pod = identity && this.#podOf(identity.uid);
    if (!identity || !pod || identity.role === "pause") return Promise.resolve(undefined);
    const directory = podDirectory(this.#options.dataDir, identity.uid);
    const file = terminationFile(directory, identity.container, identity.attempt);
    const policy = findContainer(pod, identity.container)?.terminationMessagePolicy;
    return terminationMessage(this.#options.engine, container, { file, policy });
  }
}
