/** Looks whether a cluster that was brought along can be reached. */
import { TargetUnavailable } from "../../target/target.ts";
import { digestOf } from "../names.ts";
import type { Reached, Seen } from "../seen.ts";
import { reasons, texts } from "../vocabulary.ts";
import type { Surroundings } from "./surroundings.ts";

/** Give or take a tenth, so that many that were brought on one day are not asked at one moment. */
const everyMs = 5 * 60_000;
/** Somebody may be mending it. Where that takes a change of its Secret, and that is seen, there is no need to ask. */
const unreachedMs = 30_000;
const warningMs = 7 * 24 * 3_600_000;

export async function reach(
  { cluster, secret }: Pick<Seen, "cluster" | "secret">,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Reached> {
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
    const until = later(again || secret === undefined ? unreachedMs : everyMs);
    return { status: "False", reason, message, isFinal: !again, ...about, until };
  }
}
