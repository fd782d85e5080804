/** The rules for events: few for those of `v1`, as ever, and strict ones for `events.k8s.io/v1`. */
import { type FieldError, invalid, required } from "../../errors/field-error.ts";
import type { AnyObject } from "../../registry/resource.ts";
import { qualifiedNameProblems } from "../../schema/metadata/names.ts";
import type { Event } from "./event-columns.ts";

type Equal = (a: unknown, b: unknown) => boolean;

/** `event` and `old` under their old names. */
export function eventErrors(
  event: AnyObject,
  old: AnyObject | undefined,
  isStrict: boolean,
  isEqual: Equal,
): FieldError[] {
  const errors = lenientErrors(event, isStrict ? "reportingController" : "reportingComponent");
  if (!isStrict) return errors;
  return [...errors, ...(old ? changeErrors(event, old, isEqual) : strictErrors(event as unknown as Event))];
}

function lenientErrors(object: AnyObject, reporterField: string): FieldError[] {
  const event = object as unknown as Event;
  const { namespace = "" } = object.metadata;
  const about = event.involvedObject.namespace ?? "";
  const mismatch = invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (event.eventTime === null) {
    const isRight = about === "" ? namespace === "" || namespace === "default" : about === namespace;
    return isRight ? [] : [mismatch];
  }
  const { reportingComponent: reporter, reportingInstance: instance, action = "", reason = "", message = "" } = event;
  const errors: FieldError[] = [];
  if (about === "" && namespace !== "default" && namespace !== "kube-system") errors.push(mismatch);
  if (reporter === "") errors.push(required(reporterField));
  errors.push(...qualifiedNameProblems(reporter).map((problem) => invalid(reporterField, reporter, problem)));
  const needs = (field: string, value: string, most: number) => {
    if (value === "" && field !== "message") errors.push(required(field));
    if (Buffer.byteLength(value) > most) errors.push(invalid(field, "", `can have at most ${most} characters`));
  };
  needs("reportingInstance", instance, 128);
  needs("action", action, 128);
  needs("reason", reason, 128);
  needs("message", message, 1024);
  return errors;
}

function strictErrors(event: Event): FieldError[] {
  const errors = seriesErrors(event);
  const unset = (field: string) => errors.push(invalid(field, "", "needs to be unset"));
  if (event.eventTime === null) errors.push(required("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning")
    errors.push(invalid("type", "", `has invalid value: ${event.type ?? ""}`));
  if (event.firstTimestamp !== null) unset("firstTimestamp");
  if (event.lastTimestamp !== null) unset("lastTimestamp");
  if (event.count) unset("count");
  if (event.source.component || event.source.host) unset("source");
  return errors;
}

function seriesErrors({ series }: Event): FieldError[] {
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((series.count ?? 0) < 2) errors.push(invalid("series.count", "", "should be at least 2"));
  if (series.lastObservedTime === null) errors.push(required("series.lastObservedTime"));
  return errors;
}

/** Only the series may go on. Fields as Kubernetes names and orders them. */
const immutable: readonly [field: string, shown?: string][] = [
  ["involvedObject"],
  ["reason"],
  ["message"],
  ["source"],
  ["firstTimestamp"],
  ["lastTimestamp"],
  ["count"],
  ["reason"],
  ["type"],
  ["eventTime"],
  ["action"],
  ["related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance"],
];

function changeErrors(event: AnyObject, old: AnyObject, isEqual: Equal): FieldError[] {
  const errors = isEqual(event.series, old.series) ? [] : seriesErrors(event as unknown as Event);
  for (const [field, shown = field] of immutable)
    if (!isEqual(event[field], old[field]))
      errors.push(invalid(shown, shownValue(field, event[field]), "field is immutable"));
  return errors;
}

/** As Kubernetes shows it: with the names that its own code has for the parts. */
function shownValue(field: string, value: unknown): unknown {
  if (field === "source") {
    const { component = "", host = "" } = value as Event["source"];
    return { Component: component, Host: host };
  }
  if (field !== "involvedObject" && field !== "related") return value ?? "";
  if (!value) return null;
  const part = (name: string) => (value as Record<string, string>)[name] ?? "";
  return {
    Kind: part("kind"),
    Namespace: part("namespace"),
    Name: part("name"),
    UID: part("uid"),
    APIVersion: part("apiVersion"),
    ResourceVersion: part("resourceVersion"),
    FieldPath: part("fieldPath"),
  };
}
