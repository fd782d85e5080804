/**
 * When a container is asked for the first time whether it is ready. A program takes a moment until it listens: asked just
 * before that, it would be asked again a whole period later, and a player would wait for nothing. kubelet itself notices
 * a start later than most programs need for theirs.
 */
import { type Clock, sleep } from "@berg/kube";
import { tcpProbe } from "./network-probes.ts";

const firstLookMs = 10;
const longestLookMs = 100;

/** Resolves when a connection is no longer refused, or after `forMs`: then it is asked as it is. */
export async function untilListening(
  { host, port }: { host: string; port: number },
  { clock, forMs, signal }: { clock: Clock; forMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = clock.monotonic() + forMs;
  for (let waitMs = firstLookMs; ; waitMs = Math.min(longestLookMs, waitMs * 2)) {
    const left = deadline - clock.monotonic();
    if (left <= waitMs) return;
    const outcome = await tcpProbe(host, port, { clock, timeoutMs: left, signal });
    if (outcome.result !== "failure" || !outcome.output.endsWith("connection refused")) return;
    await sleep(clock, waitMs, signal);
  }
}
