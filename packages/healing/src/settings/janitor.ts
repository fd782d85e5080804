/** What the organiser decides about the janitor. */
import { quoted } from "@berg/apimachinery";
import { ConfigurationError } from "@berg/kube";
import * as read from "@berg/kube/variables";

export const janitorVariables = {
  graceMs: read.variable(
    "JANITOR_GRACE",
    "2s",
    "How long after its time is up, or after it was deleted, an instance is left to the controller.",
    read.duration,
  ),
  ghostGraceMs: read.variable(
    "GHOST_GRACE",
    "60s",
    "How long a namespace must have been without its ChallengeInstance before it is swept.",
    read.duration,
  ),
};

export type JanitorSettings = read.Values<typeof janitorVariables>;

/** Those of the environment, or every mistake in it at once. An empty variable counts as a missing one. */
export function readJanitorSettings(env: Record<string, string | undefined>): JanitorSettings {
  return read.readVariables(janitorVariables, env);
}

export function janitorSettingsReference(): { name: string; default: string; description: string }[] {
  return read.referenceOf(janitorVariables);
}

/** What `--interval` says, in ms. */
export function readInterval(text: string): number {
  const mostMs = 24 * 60 * 60 * 1000;
  try {
    const ms = read.duration(text);
    if (ms >= 1000 && ms <= mostMs) return ms;
  } catch {
    // Told below, in words of this option.
  }
  throw new ConfigurationError(`cannot use --interval: ${quoted(text)} is not a time from 1s to 24h, such as 30s`);
}
