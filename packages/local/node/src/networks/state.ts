/** All that the rules follow from, gathered at one moment. */
import type { Labels } from "@berg/apimachinery";
import type { NetworkPolicy, Pod, Service } from "@berg/kube";
import type { EndpointSlice } from "./kinds.ts";

export interface NetworkState {
  readonly bridges: readonly NamespaceBridge[];
  readonly pods: readonly NetworkPod[];
  readonly guests: readonly NetworkGuest[];
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly policies: readonly NetworkPolicy[];
  /** The labels of each namespace. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

/** The one network of a namespace. */
export interface NamespaceBridge {
  readonly namespace: string;
  readonly bridge: string;
}

/** A pod that has an address. */
export interface NetworkPod {
  readonly namespace: string;
  readonly uid: string;
  readonly address: string;
  readonly labels: Labels;
  readonly ports: readonly PodPort[];
}

/** A container that is no pod, on a namespace's bridge: pods call it, and it calls nobody. */
export interface NetworkGuest {
  readonly namespace: string;
  readonly id: string;
  readonly address: string;
}

export interface PodPort {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

/** Where every pod looks up names. No such pod runs: this process answers in its place. */
export const dnsAddress = "10.96.0.10";
/** Where the addresses of Services come from. */
export const serviceRange = "10.96.0.0/16";

/** What matters here of one that has this address. */
export function networkPod({ metadata, spec }: Pod, address: string): NetworkPod {
  return {
    namespace: metadata.namespace ?? "",
    uid: metadata.uid ?? "",
    address,
    labels: metadata.labels ?? {},
    ports: (spec?.containers ?? []).flatMap(({ ports = [] }) =>
      ports.map(({ name = "", protocol = "TCP", containerPort }) => ({ name, protocol, port: containerPort })),
    ),
  };
}
