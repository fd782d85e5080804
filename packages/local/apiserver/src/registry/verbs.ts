/** What can be done with any resource. HTTP is on one side of this, storage on the other; neither knows the other. */
import type { FieldMatcher, LabelMatcher, ListMeta, Status } from "@berg/apimachinery";
import type { User } from "../authentication/user.ts";
import type { HistoryEvent } from "../storage/table.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";

/** Who asks, and what they are to be told besides the answer. */
export interface Caller {
  readonly user: User;
  /** Of whoever does not name a field manager: the program's name from its User-Agent, `kubectl`. */
  readonly defaultManager: string;
  readonly signal: AbortSignal;
  /** Goes out as a Warning header. */
  warn(text: string): void;
  /** Throws where the caller may write what is there, but not create it: an apply or a PUT may come to that. */
  checkMayCreate?(): void;
}

/** One object. `namespace` is `""` for kinds without. */
export interface Place {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
}

export interface ListOptions {
  labelSelector?: LabelMatcher;
  fieldSelector?: FieldMatcher;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface ListAnswer {
  metadata: ListMeta;
  items: readonly AnyStoredObject[];
}

export interface WatchOptions {
  labelSelector?: LabelMatcher;
  fieldSelector?: FieldMatcher;
  resourceVersion?: string;
  resourceVersionMatch?: "NotOlderThan";
  allowBookmarks: boolean;
  /** First what is there, then a bookmark that says so, then what happens. */
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
}

/** One frame of a watch. */
export interface WatchFrame {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  /** As served; of ERROR a Status. */
  object: AnyObject;
  /** Where it shows a stored event as it is: what is encoded once serves all watchers. */
  event?: HistoryEvent;
}

export interface WriteOptions {
  isDryRun: boolean;
  /** Undefined where the client names none. */
  fieldManager?: string;
  fieldValidation: "Ignore" | "Warn" | "Strict";
}

export interface DeleteOptions {
  isDryRun: boolean;
  gracePeriodSeconds?: number;
  propagationPolicy?: "Orphan" | "Background" | "Foreground";
  uid?: string;
  resourceVersion?: string;
  /** Said in the old way: then it is told, too, that something is not gone yet. */
  asksForCascade?: boolean;
}

/** A body as it was read: what it says, and which fields it says twice. */
export interface Body {
  value: unknown;
  /** Of JSON: paths such as `spec.replicas`. */
  duplicates: readonly string[];
  /** Of YAML, where they are told by their line: `line 6: key "a" already set in map`. */
  repeated?: readonly string[];
}

export type PatchBody =
  | { type: "json" | "merge" | "strategic"; body: Body }
  | { type: "apply"; body: Body; force: boolean };

/** Resolved when the change is on disk. */
export interface Written {
  object: AnyStoredObject;
  /** Answered with 201 rather than 200. */
  isNew: boolean;
}

export interface Deleted {
  /** As it is now: still there with a deletionTimestamp, or the last state. */
  object: AnyStoredObject;
  isGone: boolean;
  /** What is answered: a Status for most kinds that are gone, else the object. */
  answer: AnyStoredObject | Status;
}

export interface Verbs {
  get(place: Place, options: { resourceVersion?: string }): Promise<AnyStoredObject>;
  list(resource: ServedResource, namespace: string, options: ListOptions): Promise<ListAnswer>;
  /**
   * Ends when the signal is aborted or the time is up. What is wrong with the request is thrown; a start that is no longer
   * known, or not yet, is told in a frame, as Kubernetes does.
   */
  watch(
    resource: ServedResource,
    namespace: string,
    options: WatchOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly WatchFrame[]>>;
  create(
    resource: ServedResource,
    namespace: string,
    body: Body,
    options: WriteOptions,
    caller: Caller,
  ): Promise<Written>;
  /** `subresource`: "", or the part that is written: "status", "finalize", "ephemeralcontainers". */
  update(place: Place, subresource: string, body: Body, options: WriteOptions, caller: Caller): Promise<Written>;
  patch(place: Place, subresource: string, patch: PatchBody, options: WriteOptions, caller: Caller): Promise<Written>;
  delete(place: Place, options: DeleteOptions, caller: Caller): Promise<Deleted>;
  /** Returns what was deleted. */
  deleteCollection(
    resource: ServedResource,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions,
    caller: Caller,
  ): Promise<ListAnswer>;
}
