/** What the status says where the engine refused a step, or did not answer. Pure. */
import type { Stored } from "@berg/apimachinery";
import type { EngineError } from "@berg/local-engine";
import type { ContainerNetwork, ContainerNetworkStatus } from "@berg/resources";
import type { Step } from "./decide.ts";
import { networkNameOf } from "./names.ts";
import * as statuses from "./status.ts";
import { networkTexts } from "./vocabulary.ts";

/** `during`: undefined where it was only looked at. Undefined: nothing worth a word; it is looked at again. */
export function statusInTrouble(
  object: Stored<ContainerNetwork>,
  during: Step["do"] | undefined,
  error: EngineError,
): ContainerNetworkStatus | undefined {
  const name = networkNameOf(object);
  if (during === "make" && error.status === 409) return undefined;
  if (during === "make" && error.status !== 0)
    return statuses.without(object, "FailedToStart", name, networkTexts.notMade(name, error.message));
  if (during === "remove" && error.status !== 0)
    return statuses.withMessage(object, networkTexts.notRemoved(name, error.message));
  // Without the engine's words, which differ from try to try: each would be a write.
  return statuses.withMessage(object, networkTexts.engineAway);
}
