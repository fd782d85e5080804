/** Events as `kubectl get` shows them, and what they can be selected by. */
import type { AnyObject, Column, ServedResource } from "../../registry/resource.ts";
import { column, nameColumn, since, textAt } from "../columns.ts";

/** Under its old names. */
export interface Event {
  involvedObject: { kind?: string; name?: string; namespace?: string; fieldPath?: string };
  reason?: string;
  message?: string;
  source: { component?: string; host?: string };
  firstTimestamp: string | null;
  lastTimestamp: string | null;
  eventTime: string | null;
  count?: number;
  type?: string;
  action?: string;
  series?: { count?: number; lastObservedTime: string | null };
  reportingComponent: string;
  reportingInstance: string;
}

type Normal = (event: AnyObject) => AnyObject;

export function eventColumns(inOldNames: Normal): readonly Column[] {
  const shown = (
    name: string,
    description: string,
    value: (event: Event, now: number) => string | number,
    priority = 0,
  ) => column(name, description, (object, now) => value(inOldNames(object) as unknown as Event, now), priority);
  return [
    shown("Last Seen", "When it happened last.", lastSeen),
    shown("Type", "Normal or Warning.", ({ type }) => type ?? ""),
    shown("Reason", "Why, in one word.", ({ reason }) => reason ?? ""),
    shown("Object", "What it is about.", ({ involvedObject: { kind = "", name } }) =>
      name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
    ),
    shown("Subobject", "Which part of it.", ({ involvedObject }) => involvedObject.fieldPath ?? "", 1),
    shown("Source", "Who says so.", reporter, 1),
    shown("Message", "What happened.", ({ message }) => (message ?? "").trim()),
    shown("First Seen", "When it happened first.", firstSeen, 1),
    shown("Count", "How often it happened.", ({ series, count }) => (series ? (series.count ?? 0) : count || 1), 1),
    { ...nameColumn, priority: 1 },
  ];
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: number): string {
  return since(firstTimestamp ?? eventTime, now);
}

function lastSeen(event: Event, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now);
}

function reporter({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source.component || reportingComponent;
  const instance = source.host || reportingInstance;
  return instance === "" ? component : `${component}, ${instance}`;
}

/** `rename` gives the name under which a field is selected, or nothing where it cannot be. */
export function eventFields(
  inOldNames: Normal,
  rename: (name: string) => string | undefined,
): ServedResource["selectableFields"] {
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
  const paths = [...parts.map((part) => `involvedObject.${part}`), "reason", "reportingComponent", "type"];
  const fields = paths.map((path) => [
    rename(path),
    (event: AnyObject) => textAt(inOldNames(event), ...path.split(".")),
  ]);
  const source = (event: AnyObject) =>
    textAt(inOldNames(event), "source", "component") || textAt(inOldNames(event), "reportingComponent");
  return Object.fromEntries([...fields, [rename("source"), source]].filter(([name]) => name !== undefined));
}
