/** Puts the cases to a node, and compares what was seen of them with what they say. */
import {
  type Client,
  ConfigMaps,
  type CoreEvent,
  Events,
  Informer,
  Namespaces,
  type Pod,
  Pods,
  ServiceAccounts,
} from "@berg/kube";
import { expect, vi } from "vitest";
import { type Case, podOf, statusText } from "./cases.ts";

interface Seen {
  statuses: string[];
  events: Set<string>;
}

export async function checkCases(client: Client, some: readonly Case[], namespace: string): Promise<void> {
  await client.create(Namespaces, { metadata: { name: namespace } });
  await client.create(ConfigMaps, { metadata: { name: "cm", namespace }, data: { a: "1" } });
  await vi.waitFor(() => client.get(ServiceAccounts, namespace, "default"), { timeout: 10_000 });
  const stop = new AbortController();
  const seen = new Map(some.map(({ name }) => [name, { statuses: [], events: new Set() } as Seen]));
  const pods = new Informer<Pod>({ client, type: Pods, selection: { namespace } });
  const events = new Informer<CoreEvent>({ client, type: Events, selection: { namespace } });
  pods.onChange(({ type, object }) => {
    const statuses = seen.get(object.metadata.name)?.statuses ?? [];
    const text = type === "deleted" ? "gone" : statusText(object);
    if (statuses.at(-1) !== text) statuses.push(text);
    const wanted = some.find(({ name }) => name === object.metadata.name);
    if (text === wanted?.deleteAt && !object.metadata.deletionTimestamp)
      void client.delete(Pods, namespace, object.metadata.name).catch(() => {});
  });
  events.onChange(({ object }) => {
    const text = eventText(object, namespace);
    if (object.reason !== "Scheduled" && !isChance(text)) seen.get(object.involvedObject.name ?? "")?.events.add(text);
  });
  const running = [pods.run(stop.signal), events.run(stop.signal)];
  try {
    await Promise.all([pods.synced(), events.synced()]);
    for (const one of some) await client.create(Pods, podOf(one, namespace));
    await vi.waitFor(
      () => {
        expect(some.flatMap((one) => differences(one, seen.get(one.name)))).toEqual([]);
      },
      { timeout: 90_000, interval: 200 },
    );
  } finally {
    stop.abort();
    await Promise.all(running);
    await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
  }
}

function differences(wanted: Case, seen: Seen | undefined): string[] {
  // In this order; there may be others in between.
  const missing = [...wanted.statuses];
  for (const status of seen?.statuses ?? []) if (status === missing[0]) missing.shift();
  const told = seen?.events ?? new Set();
  return [
    ...missing.slice(0, 1).map((status) => `${wanted.name}: no "${status}" in ${JSON.stringify(seen?.statuses)}`),
    ...wanted.events.filter((event) => !told.has(event)).map((event) => `${wanted.name}: nothing of "${event}"`),
    ...[...told].filter((event) => !wanted.events.includes(event)).map((event) => `${wanted.name}: "${event}" too`),
  ];
}

/** A probe that meets a container at its end, or a busy machine, is no difference. */
function isChance(event: string): boolean {
  return /probe errored|timed out/.test(event);
}

/** `containers{c} Created: Container created` */
function eventText({ involvedObject, reason, message }: CoreEvent, namespace: string): string {
  const part = involvedObject.fieldPath?.replace(/^spec\./, "");
  const masked = (message ?? "").replaceAll(involvedObject.uid ?? "-", "UID").replaceAll(namespace, "NS");
  return [part, `${reason}: ${masked}`].filter(Boolean).join(" ");
}
