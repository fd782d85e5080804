/** Looks whether a cluster that was brought along can be reached. */
import { TargetUnavailable } from "../../target/target.ts";
import { conditionOf } from "../draft.ts";
import { digestOf, numberOf } from "../names.ts";
import { isAbout, type Reached, type Seen } from "../seen.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import type { Surroundings } from "./surroundings.ts";

/** Give or take a tenth, so that many that were brought on one day are not asked at one moment. */
const everyMs = 5 * 60_000;
/**
 * Somebody may be mending it. Where that takes a change of its Secret, and that is seen, there is no need to ask. One that
 * stays away is asked ever more rarely.
 */
const unreachedMs = 30_000;
/**
 * One after the other in each line, as one that is silent keeps a worker for 15 s: all lines together are fewer than the
 * workers, which others need, too.
 */
const lines = { silent: 3, other: 4 } as const;
const warningMs = 7 * 24 * 3_600_000;

/** Those that did not answer, and of which nothing has changed since, have lines of their own. */
export function lineOf(seen: Seen): string {
  const { cluster, facts } = seen;
  const wasReached = conditionOf(cluster, conditionTypes.reachable)?.status !== "False";
  const isNew = facts.reached !== undefined && !isAbout(facts.reached, seen);
  const kind = wasReached || isNew ? "other" : "silent";
  return `${kind} ${numberOf(cluster.metadata.uid) % lines[kind]}`;
}

export async function reach(
  seen: Pick<Seen, "cluster" | "secret" | "facts">,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Reached> {
  const { cluster, secret } = seen;
  const { reached: before } = seen.facts;
  const { clock, random, targets } = around;
  const about = { generation: cluster.metadata.generation, secret };
  const later = (ms: number) => clock.monotonic() + ms * (0.9 + random() / 5);
  try {
    const { server, certificateAuthority, expiresAt } = await targets.check(cluster, signal);
    const endsSoon = expiresAt !== undefined && Date.parse(expiresAt) - clock.now() < warningMs;
    return {
      status: "True",
      reason: endsSoon ? reasons.expiresSoon : reasons.reachable,
      message: endsSoon ? texts.expiresSoon(expiresAt) : texts.reachable,
      isFinal: false,
      ...about,
      server,
      authorityHash: digestOf(certificateAuthority),
      until: later(everyMs),
    };
  } catch (error) {
    if (!(error instanceof TargetUnavailable)) throw error;
    const { reason, message, again } = error;
    const failures = again && before && isAbout(before, seen) ? (before.failures ?? 0) + 1 : 1;
    const afterMs = Math.min(everyMs, unreachedMs * 2 ** (failures - 1));
    const until = later(again || secret === undefined ? afterMs : everyMs);
    return { status: "False", reason, message, isFinal: !again, ...about, failures, until };
  }
}
