/**
 * Events, as two API groups serve them: `v1` with the names of old, `events.k8s.io/v1` with new ones. They are stored
 * under the old names.
 */
import { jsonEqual } from "@berg/apimachinery";
import type { AnyObject, Conversion, Strategy } from "../../registry/resource.ts";
import { pathSegmentProblems } from "../../schema/metadata/names.ts";
import { builtIn, type KindDefinition } from "../built-in.ts";
import { always, int32, microTime, object, text, time } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { objectReference } from "../workloads/shapes/references.ts";
import { eventColumns, eventFields } from "./event-columns.ts";
import { eventErrors } from "./event-validation.ts";

const source = object({ component: text(), host: text() });

const coreShape = object(
  {
    involvedObject: always(objectReference),
    reason: text(),
    message: text(),
    source: always(source),
    firstTimestamp: always(time()),
    lastTimestamp: always(time()),
    count: int32(),
    type: text(),
    eventTime: always(microTime()),
    series: object({ count: int32(), lastObservedTime: always(microTime()) }),
    action: text(),
    related: objectReference,
    reportingComponent: always(text()),
    reportingInstance: always(text()),
  },
  ["metadata", "involvedObject"],
);

const newShape = object(
  {
    eventTime: always(microTime()),
    series: object({ count: always(int32()), lastObservedTime: always(microTime()) }, ["count", "lastObservedTime"]),
    reportingController: text(),
    reportingInstance: text(),
    action: text(),
    reason: text(),
    regarding: always(objectReference),
    related: objectReference,
    note: text(),
    type: text(),
    deprecatedSource: always(source),
    deprecatedFirstTimestamp: always(time()),
    deprecatedLastTimestamp: always(time()),
    deprecatedCount: int32(),
  },
  ["eventTime"],
);

const newGroup = "events.k8s.io/v1";

/** By the new name, the old one. */
const oldNames: Record<string, string> = {
  regarding: "involvedObject",
  note: "message",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};
const newNames = Object.fromEntries(Object.entries(oldNames).map(([name, old]) => [old, name]));

export const eventConversion: Conversion = {
  toStored: (served) => renamed(served, "v1", oldNames, coreShape),
  toServed: (stored) => renamed(stored, newGroup, newNames, newShape),
};

function renamed(event: AnyObject, apiVersion: string, names: Record<string, string>, shape: KindDefinition["schema"]) {
  const draft = Object.fromEntries(Object.entries(event).map(([name, value]) => [names[name] ?? name, value]));
  const copy = structuredClone(draft) as AnyObject;
  copy.apiVersion = apiVersion;
  toStoredForm(copy, shape);
  return copy;
}

/** Under its old names, whichever it came with. */
function inOldNames(event: AnyObject): AnyObject {
  return event.apiVersion === newGroup ? eventConversion.toStored(event) : event;
}

const shared = {
  resource: "events",
  kind: "Event",
  shortNames: ["ev"],
  storedAs: "events",
  storedVersion: "v1",
  columns: eventColumns(inOldNames),
} satisfies Partial<KindDefinition>;

function strategyFor(apiVersion: string): Partial<Strategy> {
  return {
    createsOnUpdate: true,
    fillIn: (draft) => toStoredForm(draft, draft.apiVersion === newGroup ? newShape : coreShape),
    validate: (object, old) => {
      const before = old && inOldNames(old as unknown as AnyObject);
      return eventErrors(inOldNames(object), before, apiVersion === newGroup, (a, b) =>
        jsonEqual(a ?? null, b ?? null),
      );
    },
    nameProblems: pathSegmentProblems,
  };
}

export const coreEvents = builtIn({
  ...shared,
  schema: coreShape,
  selectableFields: eventFields(inOldNames, (name) => name),
  strategy: strategyFor("v1"),
});

/** What may be selected there has the new names, and no `source`. */
export const newEvents = builtIn({
  ...shared,
  group: "events.k8s.io",
  schema: newShape,
  conversion: eventConversion,
  selectableFields: eventFields(inOldNames, (name) =>
    name === "source" ? undefined : name.replace("involvedObject", "regarding").replace("Component", "Controller"),
  ),
  strategy: strategyFor(newGroup),
});
