/** Names under which a process holds a Lease. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** `berg-controller-7d9f_0f8c…`: one that no other process has, and no earlier run of this one had. */
export function newIdentity(): string {
  return `${hostname()}_${randomUUID()}`;
}

/**
 * `berg-controller-7d9f_<UID of the pod>_8081`: one that a container keeps when it is restarted, and that no other
 * process can have at the same time. A pod's UID is never used again, and two processes of one pod (another container,
 * `kubectl exec`) cannot both listen on `healthPort`, which a manager does before it runs for its Lease. Undefined
 * where that is not known.
 */
export function podIdentity({ podUid, healthPort }: { podUid?: string | undefined; healthPort: number }) {
  if (!podUid?.trim() || healthPort === 0) return undefined;
  return `${hostname()}_${podUid.trim()}_${healthPort}`;
}
