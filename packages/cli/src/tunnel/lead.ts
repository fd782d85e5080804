/** Leader election as a Manager does it, for work that has something to write after its controllers have ended. */
import {
  type Client,
  Elector,
  errorText,
  LeadershipLost,
  type Logger,
  type Metrics,
  newIdentity,
  systemClock,
  systemRandom,
} from "@berg/kube";

export interface LeadOptions {
  /** `berg-tunnel` */
  lease: string;
  namespace: string;
  /** One of its own: however much work waits, the lease is renewed. */
  client: Client;
  /** As a Manager's: the lease of a dead predecessor with this name is taken at once. */
  exclusiveIdentity?: string;
  metrics: Metrics;
  log: Logger;
  stop: AbortSignal;
}

export interface Leading {
  /** To be asked before each write. */
  readonly fence: () => void;
  /** From then on nothing can be written any more. */
  readonly lost: AbortSignal;
}

const releaseMs = 2_000;

/**
 * Calls `work` when this process leads, and resolves when `work` has; at once if `stop` is aborted before. Rejects with
 * LeadershipLost when the lease is lost, regardless of how `work` ends.
 */
export async function lead(options: LeadOptions, work: (leading: Leading) => Promise<void>): Promise<void> {
  const { lease: name, namespace, client, exclusiveIdentity, metrics, log, stop } = options;
  const elector = new Elector({
    ...{ client, namespace, name, log },
    identity: exclusiveIdentity ?? newIdentity(),
    isExclusive: exclusiveIdentity !== undefined,
    clock: systemClock,
    random: systemRandom,
    metrics: metrics.election(name),
  });
  const over = new AbortController();
  let working: Promise<void> | undefined;
  const giveUp = () => {
    if (!working) over.abort();
  };
  if (stop.aborted) return;
  stop.addEventListener("abort", giveUp, { once: true });
  try {
    const end = await elector.run((lost) => {
      working = work({ fence: elector.fence, lost }).finally(() => over.abort());
      // Awaited below.
      working.catch(() => {});
    }, over.signal);
    if (end === "stopped") return await working;
    await working?.catch((error) => log.warn({ error: errorText(error) }, "work ended with the lease"));
    throw new LeadershipLost("this process no longer leads, and ends: start it again");
  } finally {
    stop.removeEventListener("abort", giveUp);
    const late = new AbortController();
    const timer = systemClock.setTimer(releaseMs, () => late.abort());
    await elector.release(late.signal);
    timer.cancel();
  }
}
