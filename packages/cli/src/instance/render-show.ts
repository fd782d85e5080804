/** Everything about one instance, for people and for `--json`. Pure. */
import { compareTimes, parseTime, type Stored } from "@berg/apimachinery";
import type { CoreEvent } from "@berg/kube";
import type { ChallengeInstance, ExpiryChange } from "@berg/resources";
import type { Paint, Style } from "./paint.ts";
import { printable } from "./printable.ts";
import { addressRow, endsRow, phaseText, type Row, renderRows, troubleRow } from "./render-text.ts";
import { spanText } from "./span.ts";
import type { InstanceView } from "./view.ts";

interface ShownCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

interface ShownEvent {
  /** When it was last seen. */
  at: string;
  count: number;
  type: string;
  reason: string;
  message: string;
}

export interface DetailedView extends InstanceView {
  /** Where players find the flag, as far as whoever does not have it may know. */
  flagPlaces: string[];
  conditions: ShownCondition[];
  /** Changes of its end, oldest first. */
  history: ExpiryChange[];
  /** Oldest first. */
  events: ShownEvent[];
}

export function detailsOf(
  { status }: ChallengeInstance,
  events: Stored<CoreEvent>[],
): Pick<DetailedView, "conditions" | "history" | "events"> {
  const conditions = (status?.conditions ?? []).map(({ observedGeneration: _, ...shown }) => shown);
  return { conditions, history: status?.history ?? [], events: events.map(shownEvent).toSorted(byTime) };
}

function shownEvent(event: Stored<CoreEvent>): ShownEvent {
  const { lastTimestamp, eventTime, metadata, count = 1, type = "Normal", reason = "", message = "" } = event;
  return { at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp, count, type, reason, message };
}

function byTime({ at: one }: ShownEvent, { at: other }: ShownEvent): number {
  return compareTimes(one, other);
}

export function renderShow(view: DetailedView, now: number, paint: Paint): string {
  const ago = (time: string) => `${spanText(now - parseTime(time))} ago`;
  const rows: Row[] = [
    ["phase", phaseText(view, paint)],
    troubleRow(view),
    ["challenge", view.challenge],
    ["owner", view.owner],
    addressRow(view.addresses, paint),
    ["flag", ...view.flagPlaces.map((place) => `in ${printable(place)}`)],
    endsRow(view, now),
    ["started", ...(view.startedAt === undefined ? [] : [ago(view.startedAt)])],
    ["ready", ...(view.readyAt === undefined ? [] : [ago(view.readyAt)])],
    ["renewals", String(view.renewals)],
    ["namespace", view.namespace],
    ["runs in", ...(view.instanceNamespace === undefined ? [] : [view.instanceNamespace])],
  ];
  const parts = [
    `${paint("bold", view.name)}\n${renderRows(rows, paint)}`,
    part(
      "Conditions",
      view.conditions.map((condition) => conditionRow(condition, paint)),
      paint,
    ),
    part(
      "Its time",
      view.history.map(({ at, message = "", reason }) => [ago(at), printable(message || reason)]),
      paint,
    ),
    part(
      "Events",
      view.events.map((event) => eventRow(event, ago(event.at), paint)),
      paint,
    ),
  ];
  return parts.filter(Boolean).join("\n");
}

function part(title: string, rows: Row[], paint: Paint): string {
  return rows.length === 0 ? "" : `${title}\n${renderRows(rows, paint)}`;
}

const signs: Record<ShownCondition["status"], [sign: string, style: Style]> = {
  True: ["yes", "green"],
  False: ["no", "red"],
  Unknown: ["?", "yellow"],
};

/** `NamespaceCreated=True` reads as `namespace created  yes  The namespace is there.` */
function conditionRow({ type, status, message = "", reason = "" }: ShownCondition, paint: Paint): Row {
  const [sign, style] = signs[status];
  const words = printable(type).replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  return [words.toLowerCase(), `${paint(style, sign.padEnd(3))}  ${printable(message || reason)}`];
}

function eventRow({ type, reason, message, count }: ShownEvent, ago: string, paint: Paint): Row {
  const times = count > 1 ? ` (${count} times)` : "";
  const text = printable(`${reason}: ${message}${times}`);
  return [ago, type === "Warning" ? paint("yellow", text) : text];
}
