/** The parts of a pod, by the names that people give them. */
import type { Pod } from "@berg/kube";

export type PodSpec = NonNullable<Pod["spec"]>;
export type Container = PodSpec["containers"][number];
export type EnvVar = NonNullable<Container["env"]>[number];
export type VolumeMount = NonNullable<Container["volumeMounts"]>[number];
export type Volume = NonNullable<PodSpec["volumes"]>[number];
export type Probe = NonNullable<Container["readinessProbe"]>;
export type Handler = NonNullable<NonNullable<Container["lifecycle"]>["postStart"]>;

/** `web_default(2c1f…)`: how kubelet names a pod in its messages. */
export function podText(pod: Pod): string {
  const { name, namespace = "", uid = "" } = pod.metadata;
  return `${name}_${namespace}(${uid})`;
}

/** An init container that goes on beside the others. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

export function initContainersOf(pod: Pod): readonly Container[] {
  return pod.spec?.initContainers ?? [];
}

export function mainContainersOf(pod: Pod): readonly Container[] {
  return pod.spec?.containers ?? [];
}

export function findContainer(pod: Pod, name: string): Container | undefined {
  return [...initContainersOf(pod), ...mainContainersOf(pod)].find((container) => container.name === name);
}

/** A number, or the name of one of the container's ports. */
export function resolvePort(port: string | number, container: Container): number {
  const number = typeof port === "number" ? port : namedPort(port, container);
  if (number < 1 || number > 65535) throw new Error(`invalid port number: ${number}`);
  return number;
}

function namedPort(name: string, container: Container): number {
  if (/^\d+$/.test(name)) return Number(name);
  const found = container.ports?.find((port) => port.name === name);
  if (!found) throw new Error(`couldn't find port: "${name}" in container "${container.name}"`);
  return found.containerPort;
}
