import type { Stored } from "@berg/apimachinery";
import type { ConfigMap } from "../kinds.ts";

/** A ConfigMap as the server would return it. The UID is that of its first life unless told. */
export function storedConfigMap(
  name: string,
  version: number | string,
  more: { uid?: string; labels?: Record<string, string>; data?: Record<string, string> } = {},
): Stored<ConfigMap> {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      namespace: "default",
      name,
      uid: more.uid ?? `${name}-1`,
      resourceVersion: String(version),
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(more.labels ? { labels: more.labels } : {}),
    },
    ...(more.data ? { data: more.data } : {}),
  };
}
