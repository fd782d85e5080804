/** One target cluster, as its administrator, for one piece of work: of Gardener, or brought along by somebody (BYOC). */
import type { Client } from "@berg/kube";
import type { Cluster } from "@berg/resources";

export interface Target {
  client: Client;
  /** What a kubeconfig for somebody else needs. Nothing of it is secret. */
  server: string;
  /** PEM. */
  certificateAuthority: string;
  /** The same server for whoever has this token, as carefully connected to. It is the caller's to close. */
  connectWith(token: string): Client;
  /** To be called once by each who has opened it, when he is done: it stays open for the next, or is closed. */
  done?(): void;
}

/** A target that somebody brought along, looked at just now. */
export interface TargetCheck {
  server: string;
  /** PEM. */
  certificateAuthority: string;
  /** Of Kubernetes, as the server tells it: `v1.36.1`. */
  version: string;
  /** When the credentials of its kubeconfig end, RFC 3339; undefined where they do not, or nobody can tell. */
  expiresAt: string | undefined;
}

/** Why a target cannot be reached now. The text is for a condition: it names the cause and the next step, no secret. */
export class TargetUnavailable extends Error {
  readonly reason: string;
  /** Whether trying again later is of use, or only a change of the Cluster, its Shoot or its Secret. */
  readonly again: boolean;

  constructor(reason: string, message: string, again: boolean) {
    super(message);
    this.name = "TargetUnavailable";
    this.reason = reason;
    this.again = again;
  }
}

export interface TargetAccess {
  /**
   * Administrator's access, asked for only when something has to be written: each asking may cost a request to Gardener.
   * Throws TargetUnavailable.
   */
  open(cluster: Cluster, signal: AbortSignal): Promise<Target>;
  /**
   * BYOC only: reads the kubeconfig, and asks the server whether it is well and we are its administrator. Throws
   * TargetUnavailable.
   */
  check(cluster: Cluster, signal: AbortSignal): Promise<TargetCheck>;
  /** Nothing kept of this cluster is used again: its Cluster is gone, or it takes our credentials no more. */
  forget(clusterUid: string): void;
}
