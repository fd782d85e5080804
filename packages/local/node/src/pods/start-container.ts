/** Makes and starts one container: image, configuration, container, process, hook; each step fails by its own name. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Client, type Clock, errorText, type Pod, type Service, Services } from "@berg/kube";
import { type Bind, containerCreate } from "../containers/container-create.ts";
import { ConfigError, environment } from "../containers/environment.ts";
import type { Place } from "../containers/field-values.ts";
import { engineName, readLabels } from "../containers/labels.ts";
import { serviceEnvironment } from "../containers/service-environment.ts";
import type { Container } from "../containers/shapes.ts";
import { type ContainerCreate, type Engine, EngineError, type Image } from "../engine/engine.ts";
import { readObjects } from "../volumes/objects.ts";
import { VolumeError } from "../volumes/payload.ts";
import { type PodVolumes, writeOwnFile } from "../volumes/pod-volumes.ts";
import { objectsOfContainer } from "../volumes/used-objects.ts";
import type { EngineView } from "./engine-view.ts";
import { runHook } from "./hooks.ts";
import { killContainer } from "./kill-container.ts";
import { etcFile, terminationFile } from "./pod-directory.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodImages, Tell } from "./pod-images.ts";
import { reasons, texts } from "./vocabulary.ts";

export interface StartSite {
  client: Client;
  engine: Engine;
  view: EngineView;
  clock: Clock;
  images: PodImages;
  volumes: PodVolumes;
  events: PodEvents;
  directory: string;
  node: string;
  place: Place;
  pauseId: string;
  runtime: string;
}

export interface Starting {
  pod: Pod;
  container: Container;
  attempt: number;
}

/** Why a container does not run, by the reason that its status shows. */
export class StartFailure extends Error {
  readonly reason: string;
  /** Of the container that the engine made and could not start. */
  readonly startedId: string | undefined;
  readonly retryMs: number | undefined;
  constructor(reason: string, message: string, more: { startedId?: string; retryMs?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "StartFailure";
    this.reason = reason;
    this.startedId = more.startedId;
    this.retryMs = more.retryMs;
  }
}

export async function startContainer(site: StartSite, starting: Starting, signal: AbortSignal): Promise<void> {
  const { pod, container } = starting;
  const tell = (type: "Normal" | "Warning", reason: string, message: string) =>
    site.events.ofContainer(pod, container, type, reason, message);

  const image = await ensureImage(site, starting, tell, signal);
  const body = await configure(site, starting, image, signal).catch((error) => {
    signal.throwIfAborted();
    const message = error instanceof ConfigError || error instanceof VolumeError ? error.message : errorText(error);
    throw failed(tell, reasons.config, message, error);
  });
  // From here on it is not interrupted: what the engine makes for nobody would be found by nobody.
  signal.throwIfAborted();
  const id = await create(site, body, tell);
  try {
    tell("Normal", "Created", texts.created);
    await engineStart(site, id, tell);
    tell("Normal", "Started", texts.started);
    await postStart(site, starting, id, tell, signal);
  } finally {
    await site.view.refresh(id);
  }
}

/** That the engine cannot be reached is the node's trouble, and nothing to tell of each container. */
function failed(tell: Tell, reason: string, message: string, cause: unknown, startedId?: string): StartFailure {
  if (!isUnreachable(cause)) tell("Warning", "Failed", `Error: ${message}`);
  return new StartFailure(reason, message, { cause, ...(startedId !== undefined && { startedId }) });
}

export function isUnreachable(error: unknown): boolean {
  if (error instanceof EngineError) return error.status === 0;
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause);
}

async function ensureImage(site: StartSite, starting: Starting, tell: Tell, signal: AbortSignal): Promise<Image> {
  const outcome = await site.images.ensure(starting.pod, starting.container, tell, signal);
  if (outcome.kind === "present") return outcome.image;
  throw new StartFailure(outcome.reason, outcome.message, { retryMs: outcome.retryMs });
}

async function configure(
  site: StartSite,
  starting: Starting,
  image: Image,
  signal: AbortSignal,
): Promise<ContainerCreate> {
  const { client, place, directory, node, pauseId } = site;
  const { pod, container, attempt } = starting;
  const namespace = pod.metadata.namespace ?? "";
  const [objects, services] = await Promise.all([
    readObjects(client, namespace, objectsOfContainer(container), signal),
    readServices(client, pod, signal),
  ]);
  const env = environment(pod, container, place, { ...objects, services: serviceEnvironment(pod, services) });
  const binds = [
    ...ownBinds(directory),
    await messageBind(directory, container, attempt),
    ...(await site.volumes.binds(container, env, attempt, pod)),
  ];
  const machineBytes = place.capacity.memoryBytes;
  return containerCreate({
    ...{ pod, container, node, attempt, image, env, binds, pauseId, machineBytes },
    namesHost: site.runtime === "podman",
    runtime: pod.spec?.runtimeClassName,
  });
}

async function readServices(client: Client, pod: Pod, signal: AbortSignal): Promise<Service[]> {
  const { namespace = "" } = pod.metadata;
  const lists = await Promise.all([
    client.list(Services, { namespace: "default", fieldSelector: "metadata.name=kubernetes", signal }),
    pod.spec?.enableServiceLinks === false ? { items: [] } : client.listAll(Services, { namespace, signal }),
  ]);
  return lists.flatMap(({ items }) => items);
}

function ownBinds(directory: string): Bind[] {
  return (["hosts", "resolv.conf", "hostname"] as const).map((name) => ({
    from: etcFile(directory, name),
    to: `/etc/${name}`,
    readOnly: false,
  }));
}

async function messageBind(directory: string, container: Container, attempt: number): Promise<Bind> {
  const file = terminationFile(directory, container.name, attempt);
  await mkdir(dirname(file), { recursive: true, mode: 0o750 });
  await writeOwnFile(file, "", 0o666);
  return { from: file, to: container.terminationMessagePath || "/dev/termination-log", readOnly: false };
}

async function create(site: StartSite, body: ContainerCreate, tell: Tell): Promise<string> {
  const identity = readLabels(body.Labels);
  if (!identity) throw failed(tell, reasons.create, "the pod has no name or UID", undefined);
  try {
    return (await site.engine.createContainer(engineName(identity), body)).id;
  } catch (error) {
    throw failed(tell, reasons.create, engineWords(error, engineName(identity)), error);
  }
}

async function engineStart({ engine }: StartSite, id: string, tell: Tell): Promise<void> {
  try {
    await engine.startContainer(id);
  } catch (error) {
    throw failed(tell, reasons.run, engineWords(error, id), error, id);
  }
}

/** What was tried is known from the reason; and each container has another ID, which would make another event. */
function engineWords(error: unknown, id: string): string {
  return errorText(error)
    .replace(/^cannot (start|create) container \S+: /, "")
    .replaceAll(id, "this container");
}

async function postStart(
  site: StartSite,
  starting: Starting,
  id: string,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const { pod, container } = starting;
  const { engine, clock, events, place } = site;
  const hook = container.lifecycle?.postStart;
  if (!hook) return;
  // It may take long, and the container runs meanwhile.
  await site.view.refresh(id);
  const around = { engine, clock, pod, container, id, podIP: place.podIP };
  try {
    await runHook(hook, around, signal);
  } catch (error) {
    signal.throwIfAborted();
    tell("Warning", "FailedPostStartHook", "PostStartHook failed");
    const graceSeconds = pod.spec?.terminationGracePeriodSeconds ?? 30;
    await killContainer({ ...around, events, message: "FailedPostStartHook", graceSeconds }, signal);
    throw new StartFailure(reasons.postStart, errorText(error), { cause: error });
  }
}
