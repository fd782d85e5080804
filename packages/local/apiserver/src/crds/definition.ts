/** A CustomResourceDefinition, as far as the server reads it. */
import type { Condition } from "@berg/apimachinery";
import type { AnyObject, AnyStoredObject, ScalePaths } from "../registry/resource.ts";
import type { Schema } from "../schema/schema.ts";

export interface Names {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface PrinterColumn {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
}

export interface Version {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: { jsonPath: string }[];
}

export interface DefinitionSpec {
  group: string;
  scope: "Namespaced" | "Cluster";
  names: Names;
  /** Null where none is given, as Go stores it. */
  versions: Version[] | null;
  conversion?: { strategy: string; webhook?: unknown };
  preserveUnknownFields?: boolean;
}

export interface DefinitionStatus {
  conditions?: Condition[] | null;
  acceptedNames?: Partial<Names>;
  storedVersions?: string[] | null;
}

export interface Definition {
  spec: DefinitionSpec;
  status?: DefinitionStatus;
}

export type DefinitionDraft = AnyObject & Definition;
export type StoredDefinition = AnyStoredObject & Definition;

/** What was decoded by the shape of the kind has these fields. */
export function definitionOf(object: AnyObject): DefinitionDraft {
  return object as DefinitionDraft;
}

export function versionsOf({ versions }: DefinitionSpec): readonly Version[] {
  return versions ?? [];
}

export function conditionOf({ status }: Definition, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isTrue(definition: Definition, type: string): boolean {
  return conditionOf(definition, type)?.status === "True";
}
