/** What people read about one instance. Pure: times are counted from the `now` that is handed in. */
import { parseTime } from "@berg/apimachinery";
import type { InstancePhase } from "@berg/resources";
import type { Address } from "./addresses.ts";
import type { Paint, Style } from "./paint.ts";
import { printable } from "./printable.ts";
import { spanText } from "./span.ts";
import type { InstanceView } from "./view.ts";

/** A label and its lines: `address   nc ctf.example.com 31337`. */
export type Row = [label: string, ...lines: string[]];

/** Rows below each other, their second column in line. Rows without a line are left out. */
export function renderRows(rows: readonly Row[], paint: Paint): string {
  const shown = rows.filter(([, ...lines]) => lines.length > 0);
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown
    .flatMap(([label, ...lines]) =>
      lines.map((line, at) => `  ${paint("dim", (at === 0 ? label : "").padEnd(width))}  ${line}\n`),
    )
    .join("");
}

export function addressRow(addresses: readonly Address[], paint: Paint): Row {
  const texts = addresses.map(connectText);
  const width = Math.max(0, ...texts.map((text) => text.length));
  const lines = addresses.map(({ name }, at) => {
    const text = texts[at] ?? "";
    const padding = " ".repeat(width - text.length);
    return addresses.length === 1 ? paint("bold", text) : `${paint("bold", text)}${padding}  ${name}`;
  });
  return [addresses.length > 1 ? "addresses" : "address", ...lines];
}

export function connectText({ url, command = "" }: Address): string {
  return url ?? command;
}

export function endsRow(view: InstanceView, now: number): Row {
  return ["ends", endsText(view, now)];
}

export function endsText({ expiresAt, ending, startedAt }: InstanceView, now: number): string {
  if (ending) return "now";
  if (expiresAt === undefined) return startedAt === undefined ? "not known yet" : "not by itself";
  const left = leftMs(expiresAt, now);
  return left <= 0 ? `now: its time is up (${expiresAt})` : `in ${spanText(left)}, at ${expiresAt}`;
}

/** For a column: `29 min`. */
export function leftText({ expiresAt, ending }: InstanceView, now: number): string {
  if (ending || expiresAt === undefined) return "-";
  return spanText(leftMs(expiresAt, now));
}

function leftMs(expiresAt: string, now: number): number {
  return parseTime(expiresAt) - now;
}

const phaseStyles: Partial<Record<InstancePhase, Style>> = { Running: "green", Failed: "red" };

export function phaseText({ phase, ending, reason }: InstanceView, paint: Paint): string {
  const shown = ending && phase !== "Terminated" ? "Terminating" : phase;
  const hasTrouble = reason !== undefined && phase !== "Failed";
  return paint(hasTrouble ? "yellow" : (phaseStyles[shown] ?? "dim"), shown);
}

/** `Running: ContainerCrashes. Container web: it ends by itself (exit code 1)` */
export function troubleRow({ reason, message }: InstanceView): Row {
  if (reason === undefined && message === undefined) return ["why"];
  return ["why", printable([message, reason !== undefined && `(${reason})`].filter(Boolean).join(" "))];
}
