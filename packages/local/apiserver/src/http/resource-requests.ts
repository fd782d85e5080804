/** Requests about a resource: finds it, and sees that the address fits it. What the verbs do is not known here. */

import { isBuiltIn } from "../discovery/built-in-groups.ts";
import { methodNotAllowed, noSuchPath } from "../errors/refusals.ts";
import type { ServedResource } from "../registry/resource.ts";
import { isLegacyWatch } from "../requests/parse-request.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import { answerCollection } from "./collections.ts";
import { answerKind } from "./kinds-that-keep-nothing.ts";
import { answerObject } from "./objects.ts";
import type { Admitted } from "./parts.ts";
import { answerSubresource } from "./subresources.ts";

export async function answerResource(admitted: Admitted, info: ResourceRequest): Promise<void> {
  const { exchange, parts } = admitted;
  const resource = parts.served.find(info.group, info.version, info.resource);
  if (!resource || !fits(resource, info)) {
    if (isKnownGroup(parts.served.all(), info.group)) throw noSuchPath();
    return exchange.sendText(404, "404 page not found\n");
  }
  if (resource.deprecation !== undefined) exchange.warnings.add(resource.deprecation);
  const namespace = resource.namespaced ? info.namespace : "";
  // A name in a field selector is for RBAC alone: the request is about the collection.
  const isCollection = info.verb === "list" || info.verb === "watch" || info.name === "";
  if (parts.endpoints[resourceKey(resource)]) return answerKind(admitted, resource, namespace, isCollection);
  if (isCollection) {
    if (resource.namespaced && namespace === "" && info.verb !== "list" && info.verb !== "watch")
      throw methodNotAllowed();
    const name = isLegacyWatch(exchange.address.path) ? info.name : "";
    return answerCollection(admitted, resource, namespace, info, name);
  }
  const place = { resource, namespace, name: info.name };
  if (info.subresource === "") return answerObject(admitted, place, info.verb);
  return answerSubresource(admitted, place, info);
}

/** `pods`, or `deployments.apps`. */
export function resourceKey({ group, resource }: ServedResource): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function fits(resource: ServedResource, { namespace, name, resource: asked, verb }: ResourceRequest): boolean {
  if (resource.namespaced) return namespace !== "" || name === "" || verb === "list" || verb === "watch";
  // The namespace of a namespace is itself.
  return namespace === "" || (asked === "namespaces" && resource.group === "");
}

function isKnownGroup(resources: readonly ServedResource[], group: string): boolean {
  return group === "" || resources.some((resource) => resource.group === group && isBuiltIn(resource));
}
