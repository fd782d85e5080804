/**
 * When this process begins to lead, and every now and then: the open records are read anew, and each is held against what
 * there is. So those that say running while nothing runs are closed, whoever opened them.
 */
import type { Watch } from "@berg/kube";
import type { Caches } from "../observe/caches.ts";
import type { OpenRecords } from "../observe/open-records.ts";

/** There is but one thing to look at: all of them. */
const everything = "records";

export const onceAndAgain: Watch = {
  informers: [],
  start(enqueue) {
    enqueue(everything);
    return () => {};
  },
  all: () => [everything],
};

export async function reloadRecords(
  {
    caches,
    open,
    keep,
    note,
  }: {
    caches: Caches;
    open: OpenRecords;
    /** Asks for a look at the record of an instance. */
    keep(uid: string): void;
    /** Asks for a look at a pod. */
    note(uid: string): void;
  },
  signal: AbortSignal,
): Promise<undefined> {
  await open.load(signal);
  for (const uid of open.uids()) keep(uid);
  for (const { metadata } of caches.instances.list()) keep(metadata.uid);
  for (const { metadata } of caches.pods.list()) note(metadata.uid);
}
