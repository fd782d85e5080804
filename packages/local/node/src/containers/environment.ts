/** A container's variables, in kubelet's order of precedence: Services, then envFrom, then env, the last one winning. */
import type { ConfigMap, Pod, Secret } from "@berg/kube";
import { expand } from "./expand.ts";
import { fieldValue, type Place, resourceValue } from "./field-values.ts";
import type { Container, EnvVar } from "./shapes.ts";

/** What the variables of a pod come from. Undefined where there is no such object. */
export interface EnvSources {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  /** Of the Services; see service-environment.ts. */
  services: ReadonlyMap<string, string>;
}

/** The container cannot be made as it is asked for: kubelet's CreateContainerConfigError. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

export function environment(
  pod: Pod,
  container: Container,
  place: Place,
  sources: EnvSources,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const from of container.envFrom ?? []) {
    const prefix = from.prefix ?? "";
    for (const [key, value] of allOf(from, sources)) values.set(`${prefix}${key}`, value);
  }
  const known = new Map([...sources.services, ...values]);
  for (const variable of container.env ?? []) {
    const value = valueFor(variable, pod, container, place, sources, known);
    if (value === undefined) continue;
    values.set(variable.name, value);
    known.set(variable.name, value);
  }
  return new Map([...sources.services, ...values]);
}

function* allOf(
  from: NonNullable<Container["envFrom"]>[number],
  sources: EnvSources,
): Generator<readonly [string, string]> {
  if (from.configMapRef) {
    const { name = "", optional } = from.configMapRef;
    yield* Object.entries(configMap(name, optional, sources)?.data ?? {});
  } else if (from.secretRef) {
    const { name = "", optional } = from.secretRef;
    for (const [key, value] of Object.entries(secret(name, optional, sources)?.data ?? {})) yield [key, decode(value)];
  }
}

/** Undefined where it is left out: an optional source that is not there. */
function valueFor(
  variable: EnvVar,
  pod: Pod,
  container: Container,
  place: Place,
  sources: EnvSources,
  known: ReadonlyMap<string, string>,
): string | undefined {
  const { value, valueFrom } = variable;
  if (value) return expand(value, known);
  if (valueFrom?.fieldRef) return fieldValue(pod, valueFrom.fieldRef.fieldPath, place);
  if (valueFrom?.resourceFieldRef)
    return resourceValue(pod, container, valueFrom.resourceFieldRef as Parameters<typeof resourceValue>[2], place);
  if (valueFrom?.configMapKeyRef) {
    const { name = "", key, optional } = valueFrom.configMapKeyRef;
    const found = configMap(name, optional, sources);
    return keyOf(found?.data, key, found && !optional, `ConfigMap ${pod.metadata.namespace}/${name}`);
  }
  if (valueFrom?.secretKeyRef) {
    const { name = "", key, optional } = valueFrom.secretKeyRef;
    const found = secret(name, optional, sources);
    const text = keyOf(found?.data, key, found && !optional, `Secret ${pod.metadata.namespace}/${name}`);
    return text === undefined ? undefined : decode(text);
  }
  if (valueFrom && Object.keys(valueFrom).length > 0)
    throw new ConfigError(`this node cannot take a variable from ${Object.keys(valueFrom).join(", ")}`);
  return "";
}

function keyOf(
  data: Readonly<Record<string, string>> | undefined,
  key: string,
  isNeeded: boolean | undefined,
  where: string,
): string | undefined {
  const value = data && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined && isNeeded) throw new ConfigError(`couldn't find key ${key} in ${where}`);
  return value;
}

function configMap(name: string, optional: boolean | undefined, sources: EnvSources): ConfigMap | undefined {
  const found = sources.configMap(name);
  if (!found && !optional) throw new ConfigError(`configmap "${name}" not found`);
  return found;
}

function secret(name: string, optional: boolean | undefined, sources: EnvSources): Secret | undefined {
  const found = sources.secret(name);
  if (!found && !optional) throw new ConfigError(`secret "${name}" not found`);
  return found;
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
