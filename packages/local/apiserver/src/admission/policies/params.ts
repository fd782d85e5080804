/** The objects that a binding names as parameters of its policy. */
import { apiVersionOf, compileLabelSelector, makeKey } from "@berg/apimachinery";
import type { ParamKind, ParamRef } from "../../kinds/admissionregistration/types.ts";
import { toServed } from "../../registry/conversion.ts";
import type { AnyStoredObject, ServedResource } from "../../registry/resource.ts";
import type { Store } from "../../storage/table.ts";

/** A policy or a binding that cannot work as it is. */
export class Misconfigured extends Error {}

export function paramResource(kind: ParamKind, served: readonly ServedResource[]): ServedResource | undefined {
  return served.find((each) => each.kind === kind.kind && apiVersionOf(each) === kind.apiVersion);
}

export function noSuchKind({ apiVersion = "", kind }: ParamKind): Misconfigured {
  const shown = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  return new Misconfigured(`failed to find resource referenced by paramKind: '${shown}'`);
}

/** The policy is asked once for each; with null where it is to do without. */
export function paramsOf(
  resource: ServedResource | undefined,
  ref: ParamRef | undefined,
  requestNamespace: string,
  store: Store,
): (AnyStoredObject | null)[] {
  if (!resource || !ref) return [null];
  const namespace = paramNamespace(resource, ref, requestNamespace);
  const table = store.table(resource.storedAs);
  const found = ref.name
    ? [table.newest(makeKey(namespace, ref.name))]
    : [...selected(table.newestAll(namespace), ref)];
  const params = found.flatMap((object) => (object ? [toServed(resource, object)] : []));
  if (params.length === 0 && ref.parameterNotFoundAction === "Deny")
    throw new Misconfigured("no params found for policy binding with `Deny` parameterNotFoundAction");
  return params;
}

/** That of the request, unless the binding names one. */
function paramNamespace(resource: ServedResource, ref: ParamRef, requestNamespace: string): string {
  if (!resource.namespaced) {
    if (!ref.namespace) return "";
    throw new Misconfigured("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  const namespace = ref.namespace || requestNamespace;
  if (namespace !== "") return namespace;
  throw new Misconfigured("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
}

function* selected<T extends { metadata: { labels?: Record<string, string> } }>(objects: Iterable<T>, ref: ParamRef) {
  const selector = compileLabelSelector(ref.selector ?? {});
  for (const object of objects) if (selector.matches(object.metadata.labels)) yield object;
}
