/** How the network of a ContainerNetwork is called on the engine, and by what it is known as its own. Pure. */
import type { Stored } from "@berg/apimachinery";
import type { Labels, Network } from "@berg/local-engine";
import type { ContainerNetwork } from "@berg/resources";
import { networkLabels } from "./vocabulary.ts";

/** Engines take 128 characters; of a long name its beginning will do, since the rest is its own. */
const longestPart = 100;

/** `berg-<name>-<part of the uid>` where the object leaves it to us. */
export function networkNameOf({ metadata, spec }: Stored<ContainerNetwork>): string {
  return spec.networkName ?? `berg-${metadata.name.slice(0, longestPart)}-${metadata.uid.slice(0, 8)}`;
}

/** For a network that is made now. */
export function labelsOf({ metadata, spec }: Stored<ContainerNetwork>, node: string): Labels {
  return {
    [networkLabels.node]: node,
    [networkLabels.name]: metadata.name,
    ...(spec.mode === "session" && { [networkLabels.uid]: metadata.uid }),
  };
}

/** Made for this very object: it goes with it. */
export function isOf({ metadata }: Stored<ContainerNetwork>, { labels }: Network): boolean {
  return labels[networkLabels.uid] === metadata.uid;
}
