/** Who stands behind a Service at this moment. */
import type { Endpoint, EndpointSlice } from "../kinds.ts";
import { serviceNameLabel } from "../kinds.ts";

/** Of one Service, those of its slices that hold IPv4 addresses. */
export function slicesOf(
  { namespace, name }: { namespace?: string; name: string },
  slices: readonly EndpointSlice[],
): EndpointSlice[] {
  return slices.filter(
    ({ metadata, addressType }) =>
      addressType === "IPv4" && metadata.namespace === namespace && metadata.labels?.[serviceNameLabel] === name,
  );
}

/** One that says nothing about itself is ready. */
export function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready ?? true;
}

/** Ends, but still serves: what is left to turn to where nobody is ready. */
export function isLastResort({ conditions }: Endpoint): boolean {
  return conditions?.serving === true && conditions.terminating === true;
}
