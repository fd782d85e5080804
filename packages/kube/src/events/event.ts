/** Makes core/v1 Events. Pure. */
import type { KubeObject } from "@berg/apimachinery";
import type { CoreEvent } from "../kinds.ts";

export type EventType = "Normal" | "Warning";

/** Who says it: the controller, and the process that it runs in. */
export interface EventSource {
  component: string;
  instance: string;
  /** The node, where it is one that tells. */
  host?: string | undefined;
}

export interface Occurrence {
  object: KubeObject;
  type: EventType;
  reason: string;
  message: string;
  source: EventSource;
  /** The part of the object that it is about: `spec.containers{web}`. */
  fieldPath?: string | undefined;
  /** RFC 3339, in seconds. */
  time: string;
  /** Nanoseconds since 1970, for the name; not used before for an event of this source. */
  nanos: bigint;
}

export function makeEvent(occurrence: Occurrence): CoreEvent {
  const { object, type, reason, message, source, fieldPath, time, nanos } = occurrence;
  const { name, namespace, uid } = object.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    // The server takes an event about a cluster-scoped object in this namespace alone.
    metadata: { name: eventName(name, nanos), namespace: namespace || "default" },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(fieldPath && { fieldPath }),
    },
    type,
    reason,
    message: cutMessage(message),
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: source.component, ...(source.host && { host: source.host }) },
    reportingComponent: source.component,
    reportingInstance: source.instance,
  };
}

const nameLimit = 253;

/** `web.187f3c2a9d4b1e00`, as kubectl users know it; not every object's name may stand in one (`system:node`). */
export function eventName(objectName: string, nanos: bigint): string {
  const suffix = `.${nanos.toString(16)}`;
  const prefix = objectName
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, "-")
    .slice(0, nameLimit - suffix.length)
    .split(".")
    .map((label) => label.replace(/^-+|-+$/g, ""))
    .filter(Boolean)
    .join(".");
  return `${prefix || "object"}${suffix}`;
}

const messageLimit = 1024;

/** To what the API allows, in bytes, without breaking a character. */
export function cutMessage(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= messageLimit) return message;
  let end = messageLimit;
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
