/**
 * The early warning: how many namespaces of instances live, how many records are open, and the difference. One that stays
 * or grows says that changes do not arrive here, or records cannot be written.
 */
import type { Informer, Metrics, Namespace } from "@berg/kube";
import { Gauge } from "prom-client";
import type { OpenRecords } from "../observe/open-records.ts";
import { instanceUidOfNamespace } from "../removing/marks.ts";
import { metricNames } from "../vocabulary.ts";

export interface Mismatch {
  readonly liveNamespaces: number;
  /** Undefined until they have been read: only the process that leads does. */
  readonly openRecords: number | undefined;
}

export function mismatchOf(namespaces: Pick<Informer<Namespace>, "list">, open: OpenRecords): Mismatch {
  const live = namespaces
    .list()
    .filter((namespace) => !namespace.metadata.deletionTimestamp && instanceUidOfNamespace(namespace));
  return { liveNamespaces: live.length, openRecords: open.isLoaded ? open.size : undefined };
}

/** A line of `/readyz?verbose`. */
export function mismatchText({ liveNamespaces, openRecords }: Mismatch): string {
  if (openRecords === undefined)
    return `${liveNamespaces} live namespaces, records not read yet (only the process that leads reads them)`;
  return `${liveNamespaces} live namespaces, ${openRecords} open records`;
}

export function mismatchMetrics({ registry }: Metrics, read: () => Mismatch): void {
  const gauge = (name: string, help: string, value: (now: Mismatch) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const now = value(read());
        if (now === undefined) this.remove();
        else this.set(now);
      },
    });
  gauge(
    metricNames.liveNamespaces,
    "Namespaces of instances that are there and not going",
    (now) => now.liveNamespaces,
  );
  gauge(metricNames.openRecords, "Records of instances that are not closed", (now) => now.openRecords);
  gauge(metricNames.mismatch, "Live namespaces minus open records; not zero for long means trouble", (now) =>
    now.openRecords === undefined ? undefined : now.liveNamespaces - now.openRecords,
  );
}
