/** What of a garden is different with Gardener's own server (server/) and with stand-ins for it (stand-ins/). */
import type { Client, Clock } from "@berg/kube";
import type { KeyAndCertificate } from "@berg/local-certificates";
import type { ControlledProcess } from "../control-plane/component.ts";
import type { ControlPlane } from "../control-plane/control-plane.ts";
import type { Keeper } from "../control-plane/keeper.ts";
import type { Subresource } from "./front.ts";
import type { GardenTarget } from "./target.ts";

export interface Site {
  controlPlane: ControlPlane;
  /** The admin's. */
  client: Client;
  /** For files; gone with the garden. */
  directory: string;
  /** Of that directory, and of whatever process works in it. */
  keeper: Keeper;
  namespace: string;
  dualApproval: boolean;
  /** More may come. */
  targets: readonly GardenTarget[];
  clock: Clock;
}

export interface Gardener {
  /** What the API server of the garden needs for it. */
  apiServerFlags(directory: string): Promise<string[]>;
  /** What signs client certificates of a cluster. */
  makeClientCa(name: string, from: number, until: number): Promise<KeyAndCertificate>;
  /** Resolves when its kinds are served. */
  serve(site: Site): Promise<ServedGardener>;
}

export interface ServedGardener {
  /** Of its own server, if it has one. */
  readonly process: ControlledProcess | undefined;
  /** What the front answers in its place. */
  readonly subresource: Subresource;
  /** Lets it issue certificates for this cluster from now on; without a target, no longer. */
  publishCa(shoot: string, target: GardenTarget | undefined): Promise<void>;
  stop(): Promise<void>;
}
