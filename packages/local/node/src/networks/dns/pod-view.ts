/** What one pod is told by the name server, and where it is told to ask. */
import type { Service } from "@berg/kube";
import { isInRange, type Range, readAddress } from "@berg/local-engine";
import type { EndpointSlice } from "../kinds.ts";
import { doAllow, type Opening, openingsOf, type PolicyState } from "../policies/openings.ts";
import { dnsAddress } from "../state.ts";
import type { Asker } from "./answer.ts";
import { clusterDomain } from "./cluster-names.ts";

/** As kubelet writes it for `dnsPolicy: ClusterFirst`. */
export function resolvConf(namespace: string): string {
  const search = [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return `search ${search.join(" ")}\nnameserver ${dnsAddress}\noptions ndots:5\n`;
}

export interface NamedObjects {
  inNamespace(namespace: string): { services: readonly Service[]; slices: readonly EndpointSlice[] };
  readonly services: { get(key: string): Service | undefined };
}

/** Undefined for an address that no pod has, and for a pod whose policies keep it from the name server. */
export function askerOf(
  address: string,
  state: PolicyState,
  objects: NamedObjects,
  isPodAddress: (address: string) => boolean,
): Asker | undefined {
  const pod = state.pods.findLast((one) => one.address === address);
  if (!pod) return undefined;
  const openings = openingsOf(pod, "egress", state);
  if (openings && !mayAsk(openings)) return undefined;
  const { namespace } = pod;
  const apiServer = objects.services.get("default/kubernetes");
  return {
    reach: { namespace, ...objects.inNamespace(namespace), apiServer, isPodAddress },
    mayAskOutside: openings === undefined || openings.some(isOutbound),
  };
}

export function podAddressTest(pool: Range): (address: string) => boolean {
  return (address) => {
    const number = readAddress(address);
    return number !== undefined && isInRange(number, pool);
  };
}

function mayAsk(openings: readonly Opening[]): boolean {
  return doAllow(openings, dnsAddress, "UDP", 53) || doAllow(openings, dnsAddress, "TCP", 53);
}

/** To any address, or to a range of them, and not only to pods. */
function isOutbound({ peers }: Opening): boolean {
  return peers === undefined || peers.isBlock;
}
