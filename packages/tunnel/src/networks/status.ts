/** The status that a ContainerNetwork has in each state. Pure. */
import type { Network } from "@berg/local-engine";
import {
  type ContainerNetwork,
  type ContainerNetworkState,
  type ContainerNetworkStatus,
  containerNetworkStatusLimits as limits,
} from "@berg/resources";
import { cut, observed } from "../status-parts.ts";
import { networkTexts } from "./vocabulary.ts";

type Status = ContainerNetworkStatus;

export function running(object: ContainerNetwork, network: Network, containers: readonly string[]): Status {
  const { spec } = object;
  // In one order, for engines have none: else a status would be written for nothing.
  const listed = [...new Set(containers)].sort();
  const shown = listed.slice(0, limits.containers);
  const notes = [
    ...(spec.mode === "persistent" && spec.ipv6 && !network.ipv6 ? [networkTexts.withoutIpv6(network.name)] : []),
    ...(shown.length < listed.length ? [networkTexts.notAll(shown.length, listed.length)] : []),
  ];
  return {
    ...observed(object),
    state: "Running",
    ...(notes.length > 0 && { message: cut(notes.join(". "), limits.message) }),
    id: network.id,
    networkName: network.name,
    driver: network.driver,
    ipv6: network.ipv6,
    subnets: network.subnets.slice(0, limits.subnets),
    gateways: network.gateways.slice(0, limits.gateways),
    containers: shown,
  };
}

/** There is no network, or none of ours. The id of the one that was there tells that there was one. */
export function without(
  object: ContainerNetwork,
  state: Exclude<ContainerNetworkState, "Running">,
  networkName: string,
  why: string,
): Status {
  const id = state === "Removed" ? object.status?.id : undefined;
  return {
    ...observed(object),
    state,
    message: cut(why, limits.message),
    ...(id !== undefined && { id }),
    networkName,
  };
}

/** As it was, with other words. */
export function withMessage(object: ContainerNetwork, message: string): Status {
  return { state: "Pending", ...object.status, ...observed(object), message: cut(message, limits.message) };
}
