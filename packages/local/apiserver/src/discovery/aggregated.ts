/** Discovery in one answer: what kubectl asks for first. */

import type { ServedResource, Subresource } from "../registry/resource.ts";
import type { MediaType } from "../requests/media-type.ts";
import { isBuiltIn } from "./built-in-groups.ts";
import { type Group, subresourcesOf, type Version } from "./groups.ts";

export type AggregatedVersion = "v2" | "v2beta1";

/** Undefined where a client does not ask for it under this name. */
export function aggregatedVersion({ type, parameters: { as, g, v } }: MediaType): AggregatedVersion | undefined {
  if (type !== "application/json" || as !== "APIGroupDiscoveryList" || g !== "apidiscovery.k8s.io") return undefined;
  return v === "v2" || v === "v2beta1" ? v : undefined;
}

export function contentTypeOf(version: AggregatedVersion): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

export function groupDiscoveryList(groups: readonly Group[], version: AggregatedVersion) {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(versionEntry),
    })),
  };
}

function versionEntry({ version, resources }: Version) {
  return { version, resources: resources.map(resourceEntry), freshness: "Current" };
}

function resourceEntry(resource: ServedResource) {
  const { group, version, kind, singular, shortNames, categories } = resource;
  const parts = subresourcesOf(resource).map(([name, part]) => subresourceEntry(resource, name, part));
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, { group, version, kind }),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: resource.shownVerbs ?? resource.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(parts.length > 0 && { subresources: parts }),
  };
}

function subresourceEntry(resource: ServedResource, subresource: string, part: Subresource) {
  return { subresource, responseKind: responseKind(resource, part), verbs: part.verbs };
}

/** Built-in kinds leave out what follows from where they stand. */
function responseKind(
  resource: ServedResource,
  { group, version, kind }: Pick<Subresource, "group" | "version" | "kind">,
) {
  const isHere = group === resource.group && version === resource.version;
  return isHere && isBuiltIn(resource) ? { group: "", version: "", kind } : { group, version, kind };
}
