/** Discovery group by group: `/api`, `/apis`, `/apis/apps`, `/apis/apps/v1`. */
import type { ServedResource, Subresource } from "../registry/resource.ts";
import { type Group, storageVersionHash, subresourcesOf, type Version } from "./groups.ts";

export function apiVersions(address: string) {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function apiGroupList(groups: readonly Group[]) {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ name }) => name !== "").map(groupEntry),
  };
}

export function apiGroup(group: Group) {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

export function apiResourceList({ groupVersion, resources }: Version) {
  return {
    kind: "APIResourceList",
    ...(groupVersion !== "v1" && { apiVersion: "v1" }),
    groupVersion,
    resources: resources.flatMap((resource) => [
      resourceEntry(resource),
      ...subresourcesOf(resource).map(([name, part]) => subresourceEntry(resource, name, part)),
    ]),
  };
}

function groupEntry({ name, versions }: Group) {
  const entries = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceEntry(resource: ServedResource) {
  const { resource: name, singular, namespaced, kind, shortNames, categories } = resource;
  const verbs = resource.shownVerbs ?? resource.verbs;
  return {
    name,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(verbs.includes("get") && { storageVersionHash: storageVersionHash(resource) }),
  };
}

function subresourceEntry(resource: ServedResource, name: string, { group, version, kind, verbs }: Subresource) {
  const isForeign = group !== resource.group || version !== resource.version;
  return {
    name: `${resource.resource}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(isForeign && { group, version }),
    kind,
    verbs,
  };
}
