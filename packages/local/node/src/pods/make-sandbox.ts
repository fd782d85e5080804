/** What a pod needs before any of its containers: its files, its network, and the container that holds it. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock, Pod } from "@berg/kube";
import { pauseCreate } from "../containers/container-create.ts";
import { hostnameOf, hostsFile, resolvConf } from "../containers/etc-files.ts";
import type { Place } from "../containers/field-values.ts";
import { engineName, readLabels } from "../containers/labels.ts";
import { unsupportedOf } from "../containers/unsupported.ts";
import type { Engine } from "../engine/engine.ts";
import { type PodVolumes, writeOwnFile } from "../volumes/pod-volumes.ts";
import type { EngineView } from "./engine-view.ts";
import type { Networks } from "./networks.ts";
import { etcFile } from "./pod-directory.ts";
import type { PodImages } from "./pod-images.ts";

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
  // A MountError passes as it is.
  await site.volumes.setUp(pod, { ...site.place, podIP: pod.status?.podIP ?? "" }, signal);
  try {
    await startPause(site, pod, attempt, signal);
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

async function startPause(site: SandboxSite, pod: Pod, attempt: number, signal: AbortSignal): Promise<void> {
  const { engine, view, node } = site;
  const [attached, image] = await Promise.all([
    site.networks.attach(pod.metadata.namespace ?? "", signal),
    site.images.pause(signal),
  ]);
  const address = attached.allocateAddress?.();
  const body = pauseCreate({ pod, node, attempt, image, network: attached.network, address });
  const identity = readLabels(body.Labels);
  if (!identity) throw new Error("the pod has no name or UID");
  signal.throwIfAborted();
  // Not interrupted: what the engine makes for nobody would be found by nobody.
  const { id } = await engine.createContainer(engineName(identity), body);
  try {
    await engine.startContainer(id);
    const container = await engine.inspectContainer(id);
    const ip = container && (container.addresses[attached.network] ?? Object.values(container.addresses)[0]);
    if (!ip) throw new Error(`it has no address in the network ${attached.network}`);
    await writeEtcFiles(site.directory, pod, ip, attached.resolvConf);
    await site.networks.podStarted(pod, ip);
  } catch (error) {
    await engine.removeContainer(id).catch(() => {});
    throw error;
  } finally {
    await view.refresh(id);
  }
}

async function writeEtcFiles(directory: string, pod: Pod, ip: string, ofNetwork: string): Promise<void> {
  await mkdir(dirname(etcFile(directory, "hosts")), { recursive: true, mode: 0o750 });
  await writeOwnFile(etcFile(directory, "hosts"), hostsFile(pod, ip));
  await writeOwnFile(etcFile(directory, "resolv.conf"), resolvConf(pod, ofNetwork));
  await writeOwnFile(etcFile(directory, "hostname"), `${hostnameOf(pod)}\n`);
}
