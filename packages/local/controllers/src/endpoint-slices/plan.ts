/**
 * Which slices to write so that they hold these endpoints. An endpoint stays in the slice that it is in, and a slice
 * that has all it should is left alone: each one that changes is sent to every node.
 */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import type { AddressType, Endpoint, EndpointPort, EndpointSlice } from "./endpoint-slice.ts";
import type { Group } from "./endpoints.ts";

export const mostPerSlice = 100;

type Labels = Record<string, string>;

export interface NewSlice {
  addressType: AddressType;
  ports: EndpointPort[];
  endpoints: Endpoint[];
}

export interface Plan {
  create: NewSlice[];
  update: Stored<EndpointSlice>[];
  remove: Stored<EndpointSlice>[];
}

export function planSlices(
  groups: readonly Group[],
  addressTypes: readonly AddressType[],
  found: readonly Stored<EndpointSlice>[],
  labels: Labels,
): Plan {
  // Without any endpoint one empty slice says that somebody has looked.
  const empty = addressTypes
    .filter((addressType) => !groups.some((group) => group.addressType === addressType))
    .map((addressType) => ({ addressType, ports: [], endpoints: [] }));
  const plan: Plan = { create: [], update: [], remove: [] };
  const left = new Set(found);
  for (const group of [...groups, ...empty]) {
    const fitting = [...left].filter((slice) => isFor(slice, group));
    for (const slice of fitting) left.delete(slice);
    planGroup(group, fitting, labels, plan);
  }
  plan.remove.push(...left);
  return plan;
}

function isFor(slice: EndpointSlice, { addressType, ports }: Group): boolean {
  return slice.addressType === addressType && jsonEqual(slice.ports ?? [], ports);
}

function planGroup(group: Group, slices: readonly Stored<EndpointSlice>[], labels: Labels, plan: Plan): void {
  const { addressType, ports, endpoints } = group;
  const unplaced = new Map(endpoints.map((endpoint) => [endpoint.targetRef.uid, endpoint]));
  const kept = slices.map((slice) => ({ slice, endpoints: takeThoseOf(slice, unplaced) }));
  for (const { endpoints } of kept) fill(endpoints, unplaced);
  const [placeholder] = kept;
  for (const one of kept) {
    const { slice, endpoints: wanted } = one;
    const isNeeded = wanted.length > 0 || (endpoints.length === 0 && one === placeholder);
    if (!isNeeded) plan.remove.push(slice);
    else if (!jsonEqual(slice.endpoints ?? [], wanted) || !jsonEqual(slice.metadata.labels ?? {}, labels))
      plan.update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: wanted });
  }
  while (unplaced.size > 0 || (kept.length === 0 && endpoints.length === 0)) {
    const wanted: Endpoint[] = [];
    fill(wanted, unplaced);
    plan.create.push({ addressType, ports, endpoints: wanted });
    if (endpoints.length === 0) return;
  }
}

function takeThoseOf(slice: EndpointSlice, unplaced: Map<string, Endpoint>): Endpoint[] {
  return (slice.endpoints ?? []).flatMap(({ targetRef }) => {
    const endpoint = unplaced.get(targetRef?.uid ?? "");
    return endpoint && unplaced.delete(endpoint.targetRef.uid) ? [endpoint] : [];
  });
}

function fill(endpoints: Endpoint[], unplaced: Map<string, Endpoint>): void {
  for (const [uid, endpoint] of unplaced) {
    if (endpoints.length >= mostPerSlice) return;
    endpoints.push(endpoint);
    unplaced.delete(uid);
  }
}
