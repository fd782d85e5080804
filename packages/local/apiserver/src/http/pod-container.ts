/** Which container of a pod is meant, by those who name one and those who need not. */
import { badRequest } from "../errors/refusals.ts";
import type { AnyStoredObject } from "../registry/resource.ts";

interface Named {
  name: string;
}

interface PodSpec {
  containers?: Named[];
  initContainers?: Named[];
  ephemeralContainers?: Named[];
}

export function containerOf(pod: AnyStoredObject, asked: string | undefined): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod as { spec?: PodSpec }).spec ?? {};
  const { name } = pod.metadata;
  const names = (some: readonly Named[]) => some.map((container) => container.name);
  if (asked !== undefined) {
    const known = [...names(containers), ...names(initContainers), ...names(ephemeralContainers)];
    if (!known.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [only, ...others] = names(containers);
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (others.length === 0) return only;
  const initial =
    initContainers.length > 0 ? ` or one of the init containers: [${names(initContainers).join(" ")}]` : "";
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${names(containers).join(" ")}]${initial}`,
  );
}
