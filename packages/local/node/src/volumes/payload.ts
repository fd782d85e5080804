/**
 * What stands in a volume's files: configMap, secret, downwardAPI and projected, with kubelet's words where something is
 * missing. Pure: the objects were read before.
 */
import type { ConfigMap, Pod, Secret } from "@berg/kube";
import { fieldValue, type Place, resourceValue } from "../containers/field-values.ts";
import type { Volume } from "../containers/shapes.ts";

export interface File {
  bytes: Uint8Array;
  mode: number;
}

/** By path within the volume. */
export type Payload = ReadonlyMap<string, File>;

/** Why a volume cannot be set up yet. It may be later, when whoever makes its object has done so. */
export class VolumeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "VolumeError";
  }
}

export interface VolumeSources {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  /** A token that was asked for; by its place in the volume. */
  token(path: string): string | undefined;
}

type Projected = NonNullable<Volume["projected"]>;
type Source = NonNullable<Projected["sources"]>[number];
type Item = { key: string; path: string; mode?: number };

export function isWritten(volume: Volume): boolean {
  return Boolean(volume.configMap || volume.secret || volume.projected || volume.downwardAPI);
}

const defaultMode = 0o644;

export function payloadOf(volume: Volume, pod: Pod, place: Place, sources: VolumeSources): Payload {
  if (volume.configMap) return ofConfigMap(volume.configMap, volume.configMap.defaultMode, sources);
  if (volume.secret) {
    const { secretName: name = "", items, optional, defaultMode } = volume.secret;
    return ofSecret({ name, items, optional }, defaultMode, sources);
  }
  if (volume.downwardAPI) return ofPod(volume.downwardAPI.items, volume.downwardAPI.defaultMode, pod, place);
  const { sources: parts = [], defaultMode } = volume.projected ?? {};
  const files = new Map<string, File>();
  for (const part of parts)
    for (const [path, file] of ofSource(part, defaultMode, pod, place, sources)) files.set(path, file);
  return files;
}

function ofSource(source: Source, mode: number | undefined, pod: Pod, place: Place, sources: VolumeSources): Payload {
  if (source.configMap) return ofConfigMap(source.configMap, mode, sources);
  if (source.secret) return ofSecret(source.secret, mode, sources);
  if (source.downwardAPI) return ofPod(source.downwardAPI.items, mode, pod, place);
  if (source.serviceAccountToken) {
    const { path } = source.serviceAccountToken;
    const token = sources.token(path);
    if (token === undefined) throw new VolumeError("the server gave no token");
    return new Map([[path, { bytes: Buffer.from(token), mode: tokenMode(pod, mode) }]]);
  }
  throw new VolumeError(`this node cannot project ${Object.keys(source).join(", ")} into a volume`);
}

/** A token is for the pod's user alone where that is known, and for all of its users where it is not. */
function tokenMode(pod: Pod, mode: number | undefined): number {
  const { fsGroup, runAsUser } = pod.spec?.securityContext ?? {};
  if (fsGroup !== undefined) return 0o600;
  return runAsUser !== undefined && haveSameUser(pod) ? 0o600 : (mode ?? defaultMode);
}

/** Whether every container runs as one and the same user, who then owns the token. */
export function haveSameUser(pod: Pod): boolean {
  const common = pod.spec?.securityContext?.runAsUser;
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const users = new Set(containers.map(({ securityContext }) => securityContext?.runAsUser ?? common));
  return users.size === 1 && !users.has(undefined);
}

interface ObjectRef {
  name?: string | undefined;
  items?: readonly Item[] | undefined;
  optional?: boolean | undefined;
}

function ofConfigMap(ref: ObjectRef, mode: number | undefined, sources: VolumeSources): Payload {
  const { name = "", items, optional } = ref;
  const object = sources.configMap(name);
  if (!object && !optional) throw new VolumeError(`configmap "${name}" not found`);
  const data = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(object?.data ?? {})) data.set(key, Buffer.from(text));
  for (const [key, base64] of Object.entries(object?.binaryData ?? {})) data.set(key, Buffer.from(base64, "base64"));
  return chosen(data, items, mode, optional, "configmap references non-existent config key");
}

function ofSecret(ref: ObjectRef, mode: number | undefined, sources: VolumeSources): Payload {
  const { name = "", items, optional } = ref;
  const object = sources.secret(name);
  if (!object && !optional) throw new VolumeError(`secret "${name}" not found`);
  const entries = Object.entries(object?.data ?? {});
  const data = new Map(entries.map(([key, base64]) => [key, Buffer.from(base64, "base64")]));
  return chosen(data, items, mode, optional, "references non-existent secret key");
}

/** Everything, or what the items name. */
function chosen(
  data: ReadonlyMap<string, Uint8Array>,
  items: readonly Item[] | undefined,
  mode: number | undefined,
  optional: boolean | undefined,
  missing: string,
): Payload {
  const fallback = mode ?? defaultMode;
  if (!items?.length) return new Map([...data].map(([key, bytes]) => [key, { bytes, mode: fallback }]));
  const files = new Map<string, File>();
  for (const item of items) {
    const bytes = data.get(item.key);
    if (bytes) files.set(item.path, { bytes, mode: item.mode ?? fallback });
    else if (!optional) throw new VolumeError(`${missing}: ${item.key}`);
  }
  return files;
}

type DownwardItems = NonNullable<Volume["downwardAPI"]>["items"];

function ofPod(items: DownwardItems, mode: number | undefined, pod: Pod, place: Place): Payload {
  const files = new Map<string, File>();
  for (const { path, fieldRef, resourceFieldRef, mode: own } of items ?? []) {
    const value = fieldRef
      ? fieldValue(pod, fieldRef.fieldPath, place)
      : resourceValue(pod, undefined, resourceFieldRef as Parameters<typeof resourceValue>[2], place);
    files.set(path, { bytes: Buffer.from(value), mode: own ?? mode ?? defaultMode });
  }
  return files;
}
