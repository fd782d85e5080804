/** The server itself, where it writes objects of its own. */
import { mastersGroup } from "../authentication/user.ts";
import type { Caller } from "../registry/verbs.ts";

export function systemCaller(signal: AbortSignal): Caller {
  return {
    user: { name: "system:apiserver", groups: [mastersGroup] },
    defaultManager: "kube-apiserver",
    signal,
    warn() {},
  };
}
