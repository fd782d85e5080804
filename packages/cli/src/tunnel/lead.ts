/**
 * Of several processes one works: the one that holds the lease. As a Manager does it, for work that has something to
 * write after its controllers have ended.
 */
import {
  type Client,
  Elector,
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

/** Resolves when `work` has, which begins when it is this one's turn; at once where it is told to stop before. */
export async function lead(options: LeadOptions, work: (leading: Leading) => Promise<void>): Promise<void> {
  const { lease: name, namespace, client, metrics, log, stop } = options;
  const around = { clock: systemClock, random: systemRandom, log, metrics: metrics.election(name) };
  const elector = new Elector({ ...around, client, namespace, name, identity: newIdentity() });
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
    await working;
    if (end === "lost") throw new LeadershipLost("this process no longer leads, and ends: start it again");
  } finally {
    stop.removeEventListener("abort", giveUp);
    const late = new AbortController();
    const timer = systemClock.setTimer(releaseMs, () => late.abort());
    await elector.release(late.signal);
    timer.cancel();
  }
}
