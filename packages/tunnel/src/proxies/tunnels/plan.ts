/**
 * What has to be asked of the pair, so that its tunnels become those of the spec. Pure.
 *
 * One whose configuration is another now is deleted, which lets its streams come to their end, and made anew with a new
 * id: whoever holds an id never sees two tunnels behind it. One that failed is tried again with the id that it has,
 * since the pair answers the same request twice without harm.
 */
import { isDeepStrictEqual } from "node:util";
import type { TunnelConfiguration } from "@berg/resources";
import type { AppliedTunnel } from "../memory.ts";

export interface TunnelPlan {
  readonly deletions: readonly { readonly name: string; readonly id: number }[];
  /** After the deletions: a new tunnel may want the port of an old one. */
  readonly preparations: readonly { readonly id: number; readonly configuration: TunnelConfiguration }[];
  /** Monotonic: when there will be something to do, though nothing changes. */
  readonly nextAt: number | undefined;
}

export interface TunnelsNow {
  readonly wanted: readonly TunnelConfiguration[];
  readonly applied: ReadonlyMap<string, AppliedTunnel>;
  readonly lastTunnelId: number;
  /** Monotonic. */
  readonly now: number;
}

export function planTunnels({ wanted, applied, lastTunnelId, now }: TunnelsNow): TunnelPlan {
  const deletions: { name: string; id: number }[] = [];
  const preparations: { id: number; configuration: TunnelConfiguration }[] = [];
  const later: number[] = [];
  const names = new Set(wanted.map(({ name }) => name));
  let newId = lastTunnelId;

  /** Whether it will be gone when the deletions are done. */
  const remove = (name: string, { id, isUndeleted, retryAt = now }: AppliedTunnel) => {
    if (isUndeleted && retryAt > now) {
      later.push(retryAt);
      return false;
    }
    deletions.push({ name, id });
    return true;
  };

  for (const [name, tunnel] of applied) if (!names.has(name)) remove(name, tunnel);
  for (const configuration of wanted) {
    const { name } = configuration;
    const tunnel = applied.get(name);
    if (!tunnel) preparations.push({ id: ++newId, configuration });
    else if (tunnel.isUndeleted || !isDeepStrictEqual(tunnel.configuration, configuration)) {
      if (remove(name, tunnel)) preparations.push({ id: ++newId, configuration });
    } else if (tunnel.retryAt !== undefined) {
      if (tunnel.retryAt <= now) preparations.push({ id: tunnel.id, configuration });
      else later.push(tunnel.retryAt);
    }
  }
  return { deletions, preparations, nextAt: later.length > 0 ? Math.min(...later) : undefined };
}

export function hasWork({ deletions, preparations }: TunnelPlan): boolean {
  return deletions.length > 0 || preparations.length > 0;
}
