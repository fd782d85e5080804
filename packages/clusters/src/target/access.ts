/** How the operators reach target clusters: see TargetAccess. */

import { formatTime } from "@berg/apimachinery";
import { type Clock, FewAtOnce, type Manager } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import type { Garden } from "../gardener/garden.ts";
import { AllowedAddresses } from "./address/addresses.ts";
import { type Resolve, systemResolve } from "./address/lookup.ts";
import { openBrought, readBrought } from "./byoc.ts";
import { checkServer } from "./check.ts";
import { type AddressGuard, type Connect, connectTo } from "./connect.ts";
import { OpenTargets } from "./open-targets.ts";
import { openShoot, reachableShoot, shootOpensWith } from "./shoot.ts";
import { type Target, type TargetAccess, type TargetCheck, TargetUnavailable } from "./target.ts";

export interface TargetOptions {
  manager: Pick<Manager, "client" | "otherServer">;
  garden: Garden;
  clock: Clock;
  /** Subnets that a brought cluster may be in, though they are refused by default. */
  allowedCidrs: readonly string[];
  resolve?: Resolve;
}

/** Gardener has other things to do: one request makes a key pair and signs it. */
const requestsAtOnce = 5;

export class Targets implements TargetAccess, AsyncDisposable {
  readonly #options: TargetOptions;
  readonly #guard: AddressGuard;
  readonly #connect: Connect;
  readonly #open: OpenTargets;
  readonly #requests = new FewAtOnce(requestsAtOnce);

  constructor(options: TargetOptions) {
    this.#options = options;
    this.#guard = {
      allowed: new AllowedAddresses(options.allowedCidrs),
      resolve: options.resolve ?? systemResolve,
    };
    const { clock, manager } = options;
    this.#connect = (access, guard) => manager.otherServer(connectTo(access, clock, guard)).client;
    this.#open = new OpenTargets(clock);
  }

  async open(cluster: Cluster, signal: AbortSignal): Promise<Target> {
    const uid = uidOf(cluster);
    if (cluster.spec.byoc) return (await this.#brought(cluster, signal)).target;
    const found = reachableShoot(cluster, this.#options.garden);
    const around = { ...this.#options, connect: this.#connect };
    const open = (signal: AbortSignal) => this.#requests.run(() => openShoot(found, around, signal), signal);
    return this.#open.get(uid, shootOpensWith(found), open, signal);
  }

  async check(cluster: Cluster, signal: AbortSignal): Promise<TargetCheck> {
    const { target, expiresAt } = await this.#brought(cluster, signal);
    try {
      const version = await checkServer(target.client, this.#options.clock, signal);
      const { server, certificateAuthority } = target;
      const ends = expiresAt === undefined ? undefined : formatTime(expiresAt);
      return { server, certificateAuthority, version, expiresAt: ends };
    } finally {
      target.done?.();
    }
  }

  forget(clusterUid: string): void {
    this.#open.forget(clusterUid);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open[Symbol.asyncDispose]();
  }

  async #brought(cluster: Cluster, signal: AbortSignal): Promise<{ target: Target; expiresAt: number | undefined }> {
    const { manager, clock } = this.#options;
    const around = { client: manager.client, clock, guard: this.#guard, connect: this.#connect };
    const brought = await readBrought(cluster, around, signal).catch((error) => {
      // Whoever took it out of the Secret wants it used no longer.
      if (error instanceof TargetUnavailable) this.forget(uidOf(cluster));
      throw error;
    });
    const open = async () => openBrought(brought, around);
    const target = await this.#open.get(uidOf(cluster), brought.opensWith, open, signal);
    return { target, expiresAt: brought.access.expiresAt };
  }
}

function uidOf({ metadata }: Cluster): string {
  if (!metadata.uid) throw new TypeError(`the Cluster "${metadata.name}" has no uid: read it first`);
  return metadata.uid;
}
