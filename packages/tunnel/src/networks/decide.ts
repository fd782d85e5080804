/**
 * What to do next for one ContainerNetwork: one step, from what is seen. Pure; network-controller.ts does it and looks
 * again.
 *
 *     session     made for the object and removed with it; one that somebody else removed is not made anew
 *     persistent  made where it is missing, adopted where it is there, and left behind
 *     existing    waited for, and never touched
 */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import type { Network } from "@berg/local-engine";
import type { ContainerNetwork, ContainerNetworkMode, ContainerNetworkStatus } from "@berg/resources";
import { isOf, networkNameOf } from "./names.ts";
import * as statuses from "./status.ts";
import { networkTexts } from "./vocabulary.ts";

export interface Seen {
  readonly object: Stored<ContainerNetwork>;
  /** Whether our finalizer is on it. */
  readonly isHeld: boolean;
  /** The one of its name, whoever made it. */
  readonly network: Network | undefined;
  /** On that. */
  readonly containers: readonly string[];
}

export type Step =
  /** Our finalizer on it. */
  | { readonly do: "hold" }
  | { readonly do: "make" }
  | { readonly do: "remove"; readonly network: Network }
  | { readonly do: "write"; readonly status: ContainerNetworkStatus }
  /** Our finalizer away. */
  | { readonly do: "letGo" }
  /** Until something changes, or for this long. */
  | { readonly do: "wait"; readonly forMs?: number };

/** Podman does not tell when a network is made or removed. */
const lookAgainMs = 5_000;

export function decide(seen: Seen): Step {
  const { object, isHeld } = seen;
  if (object.metadata.deletionTimestamp) return isHeld ? deleting(seen) : { do: "wait" };
  return modes[object.spec.mode](seen);
}

const modes: Record<ContainerNetworkMode, (seen: Seen) => Step> = { session, persistent, existing };

function session(seen: Seen): Step {
  const { object, isHeld, network } = seen;
  if (!isHeld) return { do: "hold" };
  const name = networkNameOf(object);
  if (network && isOf(object, network)) return runs(seen, network);
  // Also where another one has the name by now.
  if (object.status?.id !== undefined)
    return say(object, statuses.without(object, "Removed", name, networkTexts.removed(name)));
  if (!network) return { do: "make" };
  return say(object, statuses.without(object, "FailedToStart", name, networkTexts.taken(name)), lookAgainMs);
}

function persistent(seen: Seen): Step {
  return seen.network ? runs(seen, seen.network) : { do: "make" };
}

function existing(seen: Seen): Step {
  const { object, network } = seen;
  if (network) return runs(seen, network);
  const name = networkNameOf(object);
  const status =
    object.status?.id === undefined
      ? statuses.without(object, "NotFound", name, networkTexts.notFound(name))
      : statuses.without(object, "Removed", name, networkTexts.removedAndAwaited(name));
  return say(object, status, lookAgainMs);
}

function deleting({ object, network }: Seen): Step {
  return network && isOf(object, network) ? { do: "remove", network } : { do: "letGo" };
}

function runs({ object, containers }: Seen, network: Network): Step {
  return say(object, statuses.running(object, network, containers));
}

/** Nothing where it says so already. */
function say(object: ContainerNetwork, status: ContainerNetworkStatus, forMs?: number): Step {
  if (!jsonEqual(object.status ?? {}, status)) return { do: "write", status };
  return { do: "wait", ...(forMs !== undefined && { forMs }) };
}
