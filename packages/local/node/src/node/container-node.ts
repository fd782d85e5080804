/**
 * This machine as a node of a control plane: its pods run as containers of Docker or Podman.
 *
 *     await using node = await startContainerNode({ engine, client, name: "laptop", dataDir, networks, capabilities });
 */
import { mkdir, readdir } from "node:fs/promises";
import {
  type Client,
  type Clock,
  EventWriter,
  errorText,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@berg/kube";
import type { ContainerSummary, Engine } from "@berg/local-engine";
import { nodeLabel, readLabels } from "../containers/labels.ts";
import { Images } from "../images/images.ts";
import type { Networks } from "../pods/networks.ts";
import { podDirectory, podsDirectory } from "../pods/pod-directory.ts";
import { PodEvents } from "../pods/pod-events.ts";
import { PodImages } from "../pods/pod-images.ts";
import { NodePods } from "../pods/pods.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { readSpaces, shortageOf } from "./disk-space.ts";
import { readMachine } from "./machine.ts";
import { Registration } from "./registration.ts";

export interface ContainerNodeOptions {
  engine: Engine;
  client: Client;
  /** Of the Node, and of all that is made for it. */
  name: string;
  /** Of this node alone: volumes, and what containers see under /etc. */
  dataDir: string;
  networks: Networks;
  /** What containers may add, by the names of Linux without CAP_: the node refuses all others. */
  capabilities: readonly string[];
  clock?: Clock;
  random?: Random;
  log?: Logger;
  signal?: AbortSignal;
}

export interface StopOptions {
  /** Also ends all containers. Else they go on, and the next start takes them over. */
  removeContainers?: boolean;
}

export interface ContainerNode extends AsyncDisposable {
  readonly name: string;
  stop(options?: StopOptions): Promise<void>;
}

const stopDeadlineMs = 8_000;
const atOnce = 4;

/** Rejects where the engine does not answer at first: whoever starts it wants to know why. */
export async function startContainerNode(options: ContainerNodeOptions): Promise<ContainerNode> {
  const { engine, client, name, dataDir, networks, capabilities } = options;
  const { clock = systemClock, random = systemRandom, log = silentLogger, signal } = options;
  const info = await engine.info(signal);
  await mkdir(podsDirectory(dataDir), { recursive: true, mode: 0o750 });
  const machine = await readMachine(dataDir);
  const writer = new EventWriter({ client, clock, random, log, instance: name, host: name });
  const events = new PodEvents(writer.recorder("kubelet"));
  const pulling = new Images(engine, clock);
  const images = new PodImages(client, engine, pulling);
  const host = () => ({ ip: machine.ip, runtime: info.name });
  const pods = new NodePods({
    ...{ client, engine, networks, images, events, clock, log, dataDir, capabilities, host },
    node: name,
    onReach: () => registration.changed(),
  });
  const directories = [dataDir, ...(info.storageDirectory ? [info.storageDirectory] : [])];
  const shortage = async (wasShort: boolean) => shortageOf(await readSpaces(directories), wasShort);
  const registration: Registration = new Registration(
    { client, name, machine, clock, log, reach: () => pods.view.reach, shortage },
    info,
  );

  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const end = async ({ removeContainers = false }: StopOptions) => {
    stopping.abort();
    pulling[Symbol.dispose]();
    await running;
    await pods.stop();
    const deadline = new AbortController();
    const timer = clock.setTimer(stopDeadlineMs, () => deadline.abort(new Error("there was no more time")));
    try {
      if (removeContainers) await removeEverything(options, deadline.signal);
      await writer.flush(deadline.signal);
    } catch (error) {
      log.warn({ error: errorText(error) }, "not everything could be removed");
    } finally {
      timer.cancel();
    }
  };
  let ended: Promise<void> | undefined;
  const stop = (how: StopOptions = {}) => {
    ended ??= end(how);
    return ended;
  };

  try {
    const either = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
    await pods.view.relist(either);
    await registration.register(either);
    const { ended: podsEnded } = await pods.start(stopping.signal);
    const parts: Promise<unknown>[] = [registration.run(stopping.signal), podsEnded];
    running = Promise.all(
      parts.map((part) => part.catch((error) => log.error({ error: errorText(error) }, "the node broke"))),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, stop, [Symbol.asyncDispose]: () => stop() };
}

/** All containers of this node, those with programs before those that hold their networks, and all files. */
async function removeEverything(options: ContainerNodeOptions, signal: AbortSignal): Promise<void> {
  const { engine, name, dataDir, client, clock = systemClock } = options;
  const all = await engine.listContainers({ [nodeLabel]: name }, signal);
  const isPause = ({ labels }: ContainerSummary) => readLabels(labels)?.role === "pause";
  for (const some of [all.filter((one) => !isPause(one)), all.filter(isPause)]) {
    const left = some.map(({ id }) => id);
    // Each costs the engine a process or two: all at once would take longer.
    const remove = async () => {
      for (let id = left.pop(); id; id = left.pop()) await engine.removeContainer(id, signal);
    };
    await Promise.all(Array.from({ length: atOnce }, remove));
  }
  for (const uid of await readdir(podsDirectory(dataDir)).catch(() => []))
    await new PodVolumes({ client, clock, directory: podDirectory(dataDir, uid) }).remove();
}
