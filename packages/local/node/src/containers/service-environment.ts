/** The variables that tell a container of the Services around it: `WEB_SERVICE_HOST` and those of Docker's old links. */
import { compareTimes } from "@berg/apimachinery";
import type { Pod, Service } from "@berg/kube";

/** The API server is told of to every pod. */
const apiServer = { namespace: "default", name: "kubernetes" };

export function isForEveryPod({ metadata }: Service): boolean {
  return metadata.namespace === apiServer.namespace && metadata.name === apiServer.name;
}

export function serviceEnvironment(pod: Pod, services: readonly Service[]): Map<string, string> {
  const links = pod.spec?.enableServiceLinks !== false;
  const told = services.filter((service) => {
    const isOurs = links && service.metadata.namespace === pod.metadata.namespace;
    return hasAddress(service) && (isForEveryPod(service) || isOurs);
  });
  const values = new Map<string, string>();
  // Of two whose names become the same variable, the older is told of.
  for (const service of told.sort(byAge)) {
    for (const [name, value] of variablesOf(service)) if (!values.has(name)) values.set(name, value);
  }
  return values;
}

function* variablesOf({ metadata, spec }: Service): Generator<[string, string]> {
  const address = spec?.clusterIP ?? "";
  const [first] = spec?.ports ?? [];
  if (!first) return;
  const prefix = variableName(metadata.name);
  yield [`${prefix}_SERVICE_HOST`, address];
  yield [`${prefix}_SERVICE_PORT`, String(first.port)];
  for (const port of spec?.ports ?? []) {
    if (port.name) yield [`${prefix}_SERVICE_PORT_${variableName(port.name)}`, String(port.port)];
  }
  for (const [index, port] of (spec?.ports ?? []).entries()) {
    const protocol = (port.protocol ?? "TCP").toLowerCase();
    const url = `${protocol}://${address}:${port.port}`;
    const portPrefix = `${prefix}_PORT_${port.port}_${protocol.toUpperCase()}`;
    if (index === 0) yield [`${prefix}_PORT`, url];
    yield [portPrefix, url];
    yield [`${portPrefix}_PROTO`, protocol];
    yield [`${portPrefix}_PORT`, String(port.port)];
    yield [`${portPrefix}_ADDR`, address];
  }
}

function hasAddress({ spec }: Service): boolean {
  return spec?.clusterIP !== undefined && spec.clusterIP !== "" && spec.clusterIP !== "None";
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}

function byAge(a: Service, b: Service): number {
  const [older, newer] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return older && newer ? compareTimes(older, newer) : 0;
}
