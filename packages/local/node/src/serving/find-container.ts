/** From a name in a pod to the container of the engine. */
import type { Pod } from "@berg/kube";
import type { ContainerSummary, Engine } from "@berg/local-engine";
import { type Identity, ofContainer, readLabels } from "../containers/labels.ts";
import { notNow } from "./refusals.ts";

export type Found = ContainerSummary & { identity: Identity };

/** All that ever had this name in the pod and are still there, the youngest first. */
export async function findContainers(
  engine: Engine,
  pod: Pod,
  container: string,
  signal: AbortSignal,
): Promise<Found[]> {
  const all = await engine.listContainers(ofContainer(pod, container), signal);
  return all
    .flatMap((one) => {
      const identity = readLabels(one.labels);
      return identity ? [{ ...one, identity }] : [];
    })
    .sort((a, b) => b.identity.attempt - a.identity.attempt);
}

/** The one whose log is meant. Throws what there is instead of one. */
export function chooseLogged(found: readonly Found[], pod: Pod, container: string, previous: boolean): Found {
  const { name } = pod.metadata;
  const started = found.filter(({ status }) => status !== "created");
  // While the next one waits for its turn, the youngest is the one before it.
  const isBetween = statusOf(pod, container)?.state?.waiting !== undefined;
  const chosen = previous && !isBetween ? started[1] : started[0];
  if (chosen) return chosen;
  if (previous) throw notNow(`previous terminated container "${container}" in pod "${name}" not found`);
  throw notNow(`container "${container}" in pod "${name}" is ${whyNone(pod, container)}`);
}

function whyNone(pod: Pod, container: string): string {
  const status = statusOf(pod, container);
  if (!status) return "not available";
  const reason = status.state?.waiting?.reason ?? "ContainerCreating";
  if (reason === "ErrImagePull") return "waiting to start: image can't be pulled";
  if (reason === "ImagePullBackOff") return "waiting to start: trying and failing to pull image";
  return `waiting to start: ${reason}`;
}

function statusOf({ status }: Pod, container: string) {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
}
