/** What the networks of ContainerNetworks are known by on the engine, and what is said about them. */
import type { ContainerNetworkState } from "@berg/resources";
import { engineLabels } from "../vocabulary.ts";

/** On networks that were made. One without the right `uid` is never removed; one that is to stay has none. */
export const networkLabels = {
  node: engineLabels.node,
  /** The UID of the ContainerNetwork: unlike its name it is never used twice. */
  uid: "containernetwork.berg.norelect.ch/uid",
  /** For whoever looks with the engine's own commands. */
  name: "containernetwork.berg.norelect.ch/name",
} as const;

export const networkEvents: Record<ContainerNetworkState, { type: "Normal" | "Warning"; reason: string }> = {
  Pending: { type: "Normal", reason: "NetworkPending" },
  Running: { type: "Normal", reason: "NetworkRunning" },
  FailedToStart: { type: "Warning", reason: "NetworkFailedToStart" },
  Removed: { type: "Warning", reason: "NetworkRemoved" },
  NotFound: { type: "Warning", reason: "NetworkNotFound" },
};
export const nameTakenReason = "NetworkNameTaken";

/** Of `status.message` and of events. Each says what to do where there is something to do. */
export const networkTexts = {
  running: (network: string) => `The network ${network} is there`,
  taken: (network: string) =>
    `A network ${network} is there already, and was not made for this object: leave networkName out, choose another, or use the mode existing or persistent`,
  notMade: (network: string, why: string) => `The network ${network} cannot be made, and is tried again: ${why}`,
  notFound: (network: string) => `Waits for the network ${network}, which is not there: make it with the engine`,
  removed: (network: string) => `Somebody has removed the network ${network}: delete this object, and create it again`,
  removedAndAwaited: (network: string) => `Somebody has removed the network ${network}; it is waited for`,
  withoutIpv6: (network: string) => `The network ${network} was there already, and has no IPv6 addresses`,
  notAll: (shown: number, all: number) => `${shown} of its ${all} containers are listed`,
  notRemoved: (network: string, why: string) =>
    `The network ${network} cannot be removed yet, and is tried again: ${why}`,
  engineAway: "The container engine does not answer: this is how things were when it last did",
  nameTaken: (namespace: string) =>
    `The network of the namespace ${namespace} cannot be shown: this ContainerNetwork has its name. Delete it where tunnels on that network are wanted`,
} as const;
