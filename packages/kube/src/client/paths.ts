import type { ResourceType } from "@berg/apimachinery";
import type { ListOptions, WatchOptions } from "./client.ts";

/** `/api/v1/namespaces/ctf/pods`; without a namespace, those of all. */
export function collectionPath(type: ResourceType, namespace: string): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== "" ? `/namespaces/${segment("namespace", namespace)}` : "";
  return `${root}${scope}/${type.resource}`;
}

/** `/api/v1/namespaces/ctf/pods/web/status` */
export function objectPath(type: ResourceType, namespace: string, name: string, subresource?: string): string {
  if (type.namespaced && namespace === "") {
    throw new TypeError(`cannot address ${type.kind} "${name}": it needs a namespace`);
  }
  const object = `${collectionPath(type, namespace)}/${segment("name", name)}`;
  return subresource === undefined ? object : `${object}/${segment("subresource", subresource)}`;
}

// A name that is empty or climbs out of its path would address something else: without one, a delete means them all.
function segment(what: string, value: string): string {
  if (!value || value === "." || value === ".." || value.includes("/")) {
    throw new TypeError(`cannot use "${value}" as a ${what}: it is empty or holds a path`);
  }
  return encodeURIComponent(value);
}

type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=x`, leaving out what is undefined; `""` when nothing is left. */
export function queryOf(values: Record<string, QueryValue>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

export function listQuery(options: ListOptions): Record<string, QueryValue> {
  return {
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

export function watchQuery(options: WatchOptions): Record<string, QueryValue> {
  return {
    watch: true,
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    timeoutSeconds: options.timeoutSeconds,
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
  };
}
