/** Waiting until the server has come as far as somebody already knows it will. */
import { sleep } from "@berg/kube";
import { refusal, resourceVersionTooLarge } from "../errors/refusals.ts";
import type { AnyStored, Table } from "../storage/table.ts";
import type { Registry } from "./registry.ts";

const longestWaitMs = 3000;
const stepMs = 20;

/** How Go's number parser puts it. */
export function syntaxProblem(version: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
}

/** 0 where none is named. Kubernetes answers 500 to rubbish here. */
export function parseVersion(version: string | undefined): number {
  if (version === undefined || version === "") return 0;
  if (!/^\d+$/.test(version)) throw refusal(500, "", syntaxProblem(version));
  return Number(version);
}

/** Returns when everything up to `wanted` may be told, or refuses after a short while. */
export async function untilFresh({ store, clock }: Registry, wanted: number): Promise<void> {
  const deadline = clock.monotonic() + longestWaitMs;
  while (store.revision < wanted) {
    if (clock.monotonic() >= deadline) throw resourceVersionTooLarge(wanted, store.revision);
    await sleep(clock, stepMs);
  }
}

/** An update that changes nothing is answered with what is there, and so not before that is on disk. */
export async function untilOnDisk(
  { store }: Registry,
  table: Table,
  stored: AnyStored,
  signal: AbortSignal,
): Promise<void> {
  const wanted = Number(stored.metadata.resourceVersion);
  if (store.revision >= wanted) return;
  const cursor = table.watch(store.revision);
  try {
    while (store.revision < wanted && !signal.aborted) if (!cursor.next()) await cursor.wait(signal);
  } finally {
    cursor.close();
  }
}
