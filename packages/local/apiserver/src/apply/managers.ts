/** Who owns which fields, as `metadata.managedFields` says it. */
import { formatTime, type ManagedFieldsEntry, parseTime } from "@berg/apimachinery";
import { FieldSet } from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import { compareText } from "./values.ts";

export interface Manager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** `""` for the object itself. */
  readonly subresource: string;
  /** Of the last change; missing where whoever applied changed nothing. */
  readonly time?: string | undefined;
  readonly fields: FieldSet;
}

/** By `idOf`. */
export type Managers = Map<string, Manager>;

/** Who applies is the same in every version; who updates is another one in each. */
export function idOf({ manager, operation, apiVersion, subresource }: Omit<Manager, "fields" | "time">): string {
  return JSON.stringify({
    ...(manager && { manager }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource && { subresource }),
  });
}

/** Throws where an entry makes no sense. */
export function readManagers(entries: readonly ManagedFieldsEntry[]): Managers {
  const managers: Managers = new Map();
  for (const [index, entry] of entries.entries()) {
    const { operation, apiVersion, fieldsType, fieldsV1 } = entry;
    if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
    if (!apiVersion) throw new Error("apiVersion must not be empty");
    if (!fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== "FieldsV1") {
      throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
    }
    const fields = fieldsV1 === undefined || fieldsV1 === null ? new FieldSet() : readFieldsV1(fieldsV1);
    const [manager, subresource] = [entry.manager ?? "", entry.subresource ?? ""];
    const time = entry.time ? formatTime(parseTime(entry.time)) : undefined;
    const read: Manager = { manager, operation, apiVersion, subresource, time, fields };
    managers.set(idOf(read), read);
  }
  return managers;
}

/** Sorted as Kubernetes sorts; undefined where there is nobody. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(inOrder).map(({ manager, operation, apiVersion, subresource, time, fields }) => ({
    ...(manager && { manager }),
    operation,
    apiVersion,
    ...(time && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: writeFieldsV1(fields),
    ...(subresource && { subresource }),
  }));
}

function inOrder(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    oldestFirst(a, b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** No time comes before all others. */
export function oldestFirst(a: Manager, b: Manager): number {
  return compareText(a.time ?? "", b.time ?? "");
}
