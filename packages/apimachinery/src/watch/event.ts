import type { KubeObject, Stored } from "../object.ts";
import type { Status } from "../status.ts";

/** One frame of a watch, as it stands on the wire. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: Stored<T> }
  | { type: "BOOKMARK"; object: Bookmark }
  | { type: "ERROR"; object: Status };

/** Says only how far the stream has come; `initial-events-end` marks the end of a streamed list. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

export const initialEventsEnd = "k8s.io/initial-events-end";
