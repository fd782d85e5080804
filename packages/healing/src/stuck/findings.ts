/** What was found about each pod: since when it has its trouble, and the verdict; kept as long as the pod is there. */
import { jsonEqual } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { containerOf } from "../observe/caches.ts";
import type { Verdict } from "./judge.ts";
import { troubleOf } from "./trouble.ts";

export interface Finding {
  readonly podUid: string;
  /** Of the pod. */
  readonly namespace: string;
  readonly container: string;
  readonly isFailed: boolean;
  readonly isGoing: boolean;
  readonly verdict: Verdict;
}

export class Findings {
  readonly #troubles = new Map<string, { kind: string; since: number }>();
  readonly #byPod = new Map<string, { instance: string; finding: Finding }>();
  readonly #byInstance = new Map<string, Map<string, Finding>>();

  /** When the trouble that the pod has now was seen for the first time. */
  firstSeen(uid: string, pod: Pod, now: number): number {
    const kind = troubleOf(pod)?.kind ?? "none";
    const known = this.#troubles.get(uid);
    if (known?.kind === kind) return known.since;
    this.#troubles.set(uid, { kind, since: now });
    return now;
  }

  /** Returns whether that is news for its instance. */
  put(instance: string, uid: string, pod: Pod, verdict: Verdict): boolean {
    const finding: Finding = {
      podUid: uid,
      namespace: pod.metadata.namespace ?? "",
      container: containerOf(pod),
      isFailed: pod.status?.phase === "Failed",
      isGoing: pod.metadata.deletionTimestamp !== undefined,
      verdict,
    };
    const known = this.#byPod.get(uid)?.finding;
    this.#byPod.set(uid, { instance, finding });
    const pods = this.#byInstance.get(instance) ?? new Map<string, Finding>();
    this.#byInstance.set(instance, pods.set(uid, finding));
    return known === undefined || !jsonEqual(known, finding);
  }

  /** Of a pod that is gone. Returns the UID of its instance. */
  forget(uid: string): string | undefined {
    this.#troubles.delete(uid);
    const known = this.#byPod.get(uid);
    if (!known) return undefined;
    this.#byPod.delete(uid);
    const pods = this.#byInstance.get(known.instance);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byInstance.delete(known.instance);
    return known.instance;
  }

  of(instance: string): Finding[] {
    return [...(this.#byInstance.get(instance)?.values() ?? [])];
  }
}
