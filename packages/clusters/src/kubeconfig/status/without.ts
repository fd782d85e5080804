import { removeCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import type { Seen } from "../seen.ts";
import { conditionTypes as types } from "../vocabulary.ts";

/** What is left when nothing was issued, or all of it is useless. The epoch goes on: no anchor's name is used twice. */
export function withoutAccess({ request }: Seen): KubeconfigRequestStatus {
  const { observedGeneration, phase, epoch, lastRotationRequest, lastRotationEnded } = request.status ?? {};
  const conditions = request.status?.conditions && removeCondition(request.status.conditions, types.rbacReady);
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(phase !== undefined && { phase }),
    ...(epoch !== undefined && { epoch }),
    ...(lastRotationRequest !== undefined && { lastRotationRequest }),
    ...(lastRotationEnded !== undefined && { lastRotationEnded }),
    ...(conditions !== undefined && { conditions }),
  };
}

/** The kubeconfig is nowhere to be found here; what it stands for in the target is as it was. */
export function withoutCopy({ request }: Seen): KubeconfigRequestStatus {
  const { kubeconfig: _, secretRef: __, ...status } = request.status ?? {};
  return status;
}
