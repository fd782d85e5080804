/** Where objects are: paths and queries. */
import type { Kind } from "../kinds/index.ts";

/** The collection, or one object of it. Namespaces carry the name of the play. */
export function pathOf({ apiVersion, resource, namespaced }: Kind, name?: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = namespaced ? `${root}/namespaces/{ns}/${resource}` : `${root}/${resource}`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** As steps refer to it: braces in braces would not be seen. */
export function key({ resource }: Kind, name: string): string {
  return `${resource}/${name.replace("{ns}", "ns")}`;
}

export function asked(path: string, options: Record<string, string | number | null | undefined>): string {
  const query = Object.entries(options).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${name}=${value}`],
  );
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}
