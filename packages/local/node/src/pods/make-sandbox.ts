/** What a pod needs before any of its containers: its files, its network, and the container that holds it. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Pod } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { pauseCreate } from "../containers/container-create.ts";
import { hostnameOf, hostsFile, resolvConf } from "../containers/etc-files.ts";
import type { Place } from "../containers/field-values.ts";
import { engineName, readLabels } from "../containers/labels.ts";
import { unsupportedOf } from "../containers/unsupported.ts";
import { type PodVolumes, writeOwnFile } from "../volumes/pod-volumes.ts";
import type { EngineView } from "./engine-view.ts";
import type { Making } from "./made-ahead.ts";
import type { AttachedNetwork, Networks } from "./networks.ts";
import { etcFile } from "./pod-directory.ts";
import type { PodImages } from "./pod-images.ts";
import { addressOf } from "./seen.ts";

export interface SandboxSite {
  engine: Engine;
  view: EngineView;
  clock: Clock;
  networks: Networks;
  images: PodImages;
  volumes: PodVolumes;
  directory: string;
  node: string;
  place: Omit<Place, "podIP">;
  /** Told of the pause container before it is started: what is made meanwhile, to be removed where this fails. */
  meanwhile?(pauseId: string): Making | undefined;
}

export class SandboxError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SandboxError";
  }
}

export async function makeSandbox(site: SandboxSite, pod: Pod, attempt: number, signal: AbortSignal): Promise<void> {
  const refusal = unsupportedOf(pod);
  if (refusal) throw new SandboxError(refusal);
  const needed = Promise.all([site.networks.attach(pod.metadata.namespace ?? "", signal), site.images.pause(signal)]);
  needed.catch(() => {});
  // A MountError passes as it is.
  await site.volumes.setUp(pod, { ...site.place, podIP: pod.status?.podIP ?? "" }, signal);
  try {
    const [attached, image] = await needed;
    await startPause(site, pod, { attempt, attached, image }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new SandboxError(error instanceof Error ? error.message : "no reason was given", error);
  }
}

/** One that an earlier process left: whatever it had no time for is done again, and nothing is made anew. */
export async function adoptSandbox(site: SandboxSite, pod: Pod, ip: string, signal: AbortSignal): Promise<void> {
  const attached = await site.networks.attach(pod.metadata.namespace ?? "", signal);
  await writeEtcFiles(site.directory, pod, ip, attached.resolvConf);
  await site.networks.podStarted(pod, ip, signal);
  await site.volumes.setUp(pod, { ...site.place, podIP: ip }, signal);
}

interface Pause {
  attempt: number;
  attached: AttachedNetwork;
  image: string;
}

async function startPause(site: SandboxSite, pod: Pod, pause: Pause, signal: AbortSignal): Promise<void> {
  const { engine, view, node, networks } = site;
  const { attempt, attached, image } = pause;
  const address = attached.allocateAddress?.();
  const body = pauseCreate({ pod, node, attempt, image, network: attached.network, address });
  const identity = readLabels(body.Labels);
  if (!identity) throw new Error("the pod has no name or UID");
  signal.throwIfAborted();
  // Not interrupted: what the engine makes for nobody would be found by nobody.
  const { id } = await engine.createContainer(engineName(identity), body);
  let made: Making | undefined;
  try {
    // Whatever is made now holds these very files; the address follows.
    await writeEtcFiles(site.directory, pod, "", attached.resolvConf);
    made = site.meanwhile?.(id);
    await engine.startContainer(id);
    await view.refresh(id);
    const seen = view.pod(identity.uid).pauses.find((one) => one.id === id);
    const ip = seen?.addresses[attached.network] ?? addressOf(seen);
    if (!ip) throw new Error(`it has no address in the network ${attached.network}`);
    await Promise.all([
      writeOwnFile(etcFile(site.directory, "hosts"), hostsFile(pod, ip)),
      networks.podStarted(pod, ip),
    ]);
  } catch (error) {
    made?.stop.abort(error);
    const other = await made?.id.catch(() => undefined);
    for (const one of other === undefined ? [id] : [other, id]) {
      await engine.removeContainer(one).catch(() => {});
      await view.refresh(one);
    }
    throw error;
  }
}

async function writeEtcFiles(directory: string, pod: Pod, ip: string, ofNetwork: string): Promise<void> {
  await mkdir(dirname(etcFile(directory, "hosts")), { recursive: true, mode: 0o750 });
  await Promise.all([
    writeOwnFile(etcFile(directory, "hosts"), hostsFile(pod, ip)),
    writeOwnFile(etcFile(directory, "resolv.conf"), resolvConf(pod, ofNetwork)),
    writeOwnFile(etcFile(directory, "hostname"), `${hostnameOf(pod)}\n`),
  ]);
}
