/** What is seen of a node's networks from outside; networks.ts has them. */
import type { Client, Clock, Logger, Pod } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import type { Upstream } from "./dns/upstream.ts";

export interface NetworksOptions {
  engine: Engine;
  client: Client;
  /** Marks what is ours. Of two nodes on one machine each has its own. */
  node: string;
  /** Where pods get their addresses from, 256 to a namespace: 10.202.0.0/16 unless told. */
  pool?: string;
  /** Go on where pods cannot be isolated. Else that is refused. */
  withoutIsolation?: boolean;
  /** The name servers of this machine unless told. */
  upstream?: Upstream;
  clock?: Clock;
  log?: Logger;
  signal?: AbortSignal;
}

export interface Attachment {
  /** The engine's name of it. */
  readonly network: string;
  /** For /etc/resolv.conf of its pods. */
  readonly resolvConf: string;
}

export interface Networks extends AsyncDisposable {
  attach(namespace: string, signal?: AbortSignal): Promise<Attachment>;
  /** Also of a pod that an earlier run left running. May be called again. */
  podStarted(pod: Pod, address: string): Promise<void>;
  podGone(uid: string): void;
  /**
   * A container that is no pod is on the namespace's network, at this address: the near end of a tunnel. When it
   * resolves, pods of the namespace may open TCP connections to it, whatever their policies say, and nobody else may;
   * and it may answer, and begin nothing. Also of one that an earlier run left running. May be called again.
   *
   * One whose address is not of that network is on another, which nobody closes: nothing is done.
   */
  guestJoined(namespace: string, guest: { readonly id: string; readonly address: string }): Promise<void>;
  /** One that is not known has left already. */
  guestLeft(id: string): void;
  /** Removes the namespace's network now, if it has no pods. */
  release(namespace: string): Promise<void>;
  /** Once all pods of an earlier run are known or gone: removes the networks that nobody is on. */
  removeUnused(): Promise<void>;
  /** What is not isolated here, in plain words; nothing on Linux with a root engine. */
  limitations(): readonly string[];
  /** Removes all: to be called after the containers are gone. */
  stop(): Promise<void>;
  /** Leaves networks and rules to pods that go on without us: they stay closed, without names. */
  leave(): Promise<void>;
}
