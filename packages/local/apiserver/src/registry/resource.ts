/**
 * A resource as the server serves it: what makes one kind different from another, as data and pure functions. The verbs
 * beside this file know nothing else of any kind; built-in kinds are in `kinds/`, custom ones are made by `crds/`.
 */
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { FieldError } from "../errors/field-error.ts";
import type { Verb } from "../requests/request-info.ts";
import type { Schema } from "../schema/schema.ts";

/** Any object, with whatever is in it: who reads a field says what is there. */
export type AnyObject = KubeObject & { [field: string]: unknown };
export type AnyStoredObject = Stored<KubeObject> & { [field: string]: unknown };

export interface ServedResource {
  readonly group: string;
  readonly version: string;
  /** The plural that stands in the URL. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  /** What discovery shows, where it is less than what is answered. */
  readonly shownVerbs?: readonly Verb[];
  /** What whoever uses this version is told with every answer. */
  readonly deprecation?: string;
  /** Why nothing new is taken, where that is so. */
  readonly takesNothingNew?: string;
  /** The table that holds it, such as `events`: all versions and groups that serve one kind share it. */
  readonly storedAs: string;
  /** The apiVersion under which its objects are stored. */
  readonly storedVersion: string;
  /** Of the whole object, without apiVersion, kind and metadata. */
  readonly schema: Schema;
  readonly columns: readonly Column[];
  /** What a row of a table says of its object beside its cells: that it has ended. */
  readonly rowConditions?: (object: AnyObject) => readonly RowCondition[];
  /** What a field selector may ask for, beside metadata.name and metadata.namespace: by path, its value. */
  readonly selectableFields: Readonly<Record<string, (object: AnyObject) => string>>;
  readonly strategy: Strategy;
  /** By name, beside `status`, which follows from the strategy. */
  readonly subresources: Readonly<Record<string, Subresource>>;
  /** Where versions differ in more than their name. */
  readonly conversion?: Conversion;
}

export interface Conversion {
  toStored(served: AnyObject): AnyObject;
  toServed(stored: AnyObject): AnyObject;
}

/** What a kind does in its own way. All of it is synchronous: see storage. Drafts may be changed, nothing else. */
export interface Strategy {
  /** Whether `status` is written through its own subresource only. */
  readonly hasStatus: boolean;
  /** Whether it may be created together with its status, as a node that says what it is. */
  readonly bringsStatus?: boolean;
  /** Whether metadata.generation counts the changes of what is wanted. */
  readonly hasGeneration: boolean;
  /** Whether it counts none of them, and stays 1. */
  readonly isGenerationFixed?: boolean;
  /** Whether PUT may create what is not there. */
  readonly createsOnUpdate?: boolean;
  /** Whether an update without a resourceVersion is refused. */
  readonly needsVersion?: boolean;
  /** Fills in what was left out, beyond the defaults of the schema. */
  fillIn?(draft: AnyObject): void;
  /** What the server decides and a client cannot: on create `old` is undefined. Not called for `status`. */
  prepare?(draft: AnyObject, old: AnyStoredObject | undefined, moment: Moment): void;
  /** The same where `status` is written. */
  prepareStatus?(draft: AnyObject, old: AnyStoredObject, moment: Moment): void;
  /** Beyond the schema and metadata. `old` is undefined on create; `subresource` is "" or the one that is written. */
  validate?(object: AnyObject, old: AnyStoredObject | undefined, subresource: string): FieldError[];
  /** Told to the client in a Warning header. */
  warnings?(object: AnyObject, old: AnyStoredObject | undefined): string[];
  /** Seconds that an object is given to end by itself; undefined where it is gone at once, as most are. */
  gracePeriod?(object: AnyStoredObject, wanted: number | undefined): number | undefined;
  /** What names must look like; an RFC 1123 subdomain unless told otherwise. Returns what is wrong with it. */
  nameProblems?(name: string): string[];
  /** Who deletes what it owns, where nobody says. Background unless told otherwise. */
  readonly defaultPropagation?: "Background" | "Orphan";
}

/** When something happens, and what nobody can guess. */
export interface Moment {
  /** ms since 1970. */
  now: number;
  /** 0 ≤ x < 1. */
  random(): number;
  /** Of what is stored, with what is still on its way to disk: for what must be unique, such as a node port. */
  newestAll(table: string, namespace?: string): Iterable<AnyStoredObject>;
}

export interface RowCondition {
  type: "Completed";
  status: "True";
  reason: string;
  message: string;
}

export interface Column {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format?: string;
  description: string;
  /** 0 is always shown; others with `-o wide`. */
  priority: number;
  value(object: AnyObject, now: number): string | number | boolean | null | undefined;
}

/** One that is not simply a part of the object, such as `scale`, `token` or `eviction`. */
export interface Subresource {
  /** Of the bodies, for discovery. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** Of the scale of a custom kind: where its numbers stand. */
  readonly paths?: ScalePaths;
}

/** `.spec.replicas` and the like. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}
