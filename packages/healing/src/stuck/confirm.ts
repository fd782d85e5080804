import type { Stored } from "@berg/apimachinery";
import { type Client, type Clock, type Informer, type Pod, Pods } from "@berg/kube";
import { by } from "../observe/caches.ts";
import { readNow } from "../observe/lookup.ts";
import type { Findings } from "./findings.ts";
import { judge, type Thresholds } from "./judge.ts";

/** Of the pods with these UIDs, those that the server itself has as stuck right now, as it has them. */
export type StuckPods = (uids: readonly string[], signal: AbortSignal) => Promise<Stored<Pod>[]>;

export interface Confirming {
  client: Pick<Client, "get">;
  pods: Pick<Informer<Pod>, "byIndex">;
  findings: Findings;
  thresholds: Thresholds;
  clock: Clock;
}

/** A copy that is behind must not cost anybody a pod that works by now. */
export function confirmWith({ client, pods, findings, thresholds, clock }: Confirming): StuckPods {
  return async (uids, signal) => {
    const stuck: Stored<Pod>[] = [];
    for (const uid of uids) {
      const known = pods.byIndex(by.uid, uid)[0]?.metadata;
      const now = known && (await readNow(client, Pods, known.namespace ?? "", known.name, signal));
      if (now?.metadata.uid !== uid) continue;
      const verdict = judge(now, findings.firstSeen(uid, now, clock.now()), clock.now(), thresholds);
      if (verdict.is === "stuck") stuck.push(now);
    }
    return stuck;
  };
}
