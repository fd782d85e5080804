/** What most kinds have in common as resources: all verbs, stored as they are served. */
import type { ServedResource } from "../registry/resource.ts";

type Own = "group" | "version" | "resource" | "kind" | "namespaced" | "schema" | "columns" | "strategy";

export function served(kind: Pick<ServedResource, Own> & Partial<ServedResource>): ServedResource {
  const { group, version, resource } = kind;
  return {
    singular: kind.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    storedAs: group === "" ? resource : `${resource}.${group}`,
    storedVersion: group === "" ? version : `${group}/${version}`,
    selectableFields: {},
    subresources: {},
    ...kind,
  };
}
