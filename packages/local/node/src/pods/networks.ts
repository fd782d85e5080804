/** What pods need of the node's networks; `networks/` has it. */
import type { Pod } from "@berg/kube";

export interface Networks {
  /** The network of a namespace, made where it was not there yet. */
  attach(namespace: string, signal: AbortSignal): Promise<AttachedNetwork>;
  /** When it resolves, rules and names take this pod into account. May be told again. */
  podStarted(pod: Pod, ip: string, signal?: AbortSignal): Promise<void> | void;
  podGone(uid: string): void;
  /** All pods of an earlier run are known by now, or gone: what nobody is on may go. */
  removeUnused(): Promise<void>;
}

export interface AttachedNetwork {
  /** As the engine knows it. */
  network: string;
  /** The text of /etc/resolv.conf. */
  resolvConf: string;
  /** Where the engine must not choose by itself. */
  allocateAddress?(): string;
}
