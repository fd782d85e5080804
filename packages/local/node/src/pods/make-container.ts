/** Makes one container, which does not run yet: image, configuration, container. Each step fails by its own name. */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Client, type Clock, errorText, type Pod, type Service, Services } from "@berg/kube";
import type { ContainerCreate, Engine, Image } from "@berg/local-engine";
import { type Bind, containerCreate } from "../containers/container-create.ts";
import { ConfigError, environment } from "../containers/environment.ts";
import type { Place } from "../containers/field-values.ts";
import { engineName, readLabels } from "../containers/labels.ts";
import { serviceEnvironment } from "../containers/service-environment.ts";
import type { Container } from "../containers/shapes.ts";
import { readObjects } from "../volumes/objects.ts";
import { VolumeError } from "../volumes/payload.ts";
import { type PodVolumes, writeOwnFile } from "../volumes/pod-volumes.ts";
import { objectsOfContainer } from "../volumes/used-objects.ts";
import type { EngineView } from "./engine-view.ts";
import { etcFile, terminationFile } from "./pod-directory.ts";
import type { PodEvents } from "./pod-events.ts";
import type { PodImages, Tell } from "./pod-images.ts";
import { engineWords, failed, StartFailure } from "./start-failure.ts";
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

/** Gives the engine's ID of it. */
export async function makeContainer(site: StartSite, starting: Starting, signal: AbortSignal): Promise<string> {
  const tell = tellOf(site, starting);
  const image = await ensureImage(site, starting, tell, signal);
  const body = await configure(site, starting, image, signal).catch((error) => {
    signal.throwIfAborted();
    const message = error instanceof ConfigError || error instanceof VolumeError ? error.message : errorText(error);
    throw failed(tell, reasons.config, message, error);
  });
  // From here on it is not interrupted: what the engine makes for nobody would be found by nobody.
  signal.throwIfAborted();
  const id = await create(site, body, tell);
  tell("Normal", "Created", texts.created);
  return id;
}

export function tellOf({ events }: StartSite, { pod, container }: Starting): Tell {
  return (type, reason, message) => events.ofContainer(pod, container, type, reason, message);
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
