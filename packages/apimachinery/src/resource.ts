import type { KubeObject } from "./object.ts";

export interface GroupVersionResource {
  /** `""` for the core group. */
  group: string;
  version: string;
  /** The plural that stands in the URL, such as `pods`. */
  resource: string;
}

declare const objectType: unique symbol;

/**
 * Describes one kind of object to the client, and carries its TypeScript type with it, so that
 * `client.get(Challenges, "ctf", "web")` is a `Challenge`.
 */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionResource {
  kind: string;
  namespaced: boolean;
  readonly [objectType]?: T;
}

/** `const Challenges = defineResource<Challenge>({group: "berg.norelect.ch", version: "v1", …})` */
export function defineResource<T extends KubeObject>(
  description: GroupVersionResource & { kind: string; namespaced: boolean },
): ResourceType<T> {
  return Object.freeze({ ...description });
}

/** `apps/v1`, or `v1` for the core group: what stands in an object's `apiVersion`. */
export function apiVersionOf(type: { group: string; version: string }): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `pods` or `deployments.apps`: how people and metrics name a resource. */
export function resourceName(type: { group: string; resource: string }): string {
  return type.group === "" ? type.resource : `${type.resource}.${type.group}`;
}
