/** Which Gateways are served here, and what stands in the way of one as a whole. */
import { keyOf, type Stored } from "@berg/apimachinery";
import type { Gateway, GatewayClass } from "../kinds.ts";
import { controllerName, type Verdict } from "../vocabulary.ts";
import { type JudgedListener, judgeListeners } from "./listeners.ts";
import { byAge, type RoutingState } from "./state.ts";

export interface JudgedGateway {
  readonly gateway: Stored<Gateway>;
  readonly refused: Verdict | undefined;
  readonly listeners: readonly JudgedListener[];
}

export function isOurs({ spec }: GatewayClass): boolean {
  return spec.controllerName === controllerName;
}

export function classProblem({ spec }: GatewayClass): Verdict | undefined {
  return spec.parametersRef && { reason: "InvalidParameters", message: "this GatewayClass takes no parameters" };
}

/** By key. Gateways of others, and of classes that are not accepted, are left alone. */
export function judgeGateways(state: RoutingState): Map<string, JudgedGateway> {
  const classes = new Set(
    state.classes.filter((each) => isOurs(each) && !classProblem(each)).map(({ metadata }) => metadata.name),
  );
  const judged = new Map<string, JudgedGateway>();
  const taken = new Map<number, string>();
  const ours = state.gateways.filter(({ spec }) => classes.has(spec.gatewayClassName)).sort(byAge);
  for (const gateway of ours) {
    const key = keyOf(gateway);
    const refused = gatewayProblem(gateway, state.host);
    const listeners = refused ? [] : judgeListeners(gateway, state, new Map(taken));
    judged.set(key, { gateway, refused, listeners });
    for (const { listener, refused } of listeners) if (!refused) taken.set(listener.port, key);
  }
  return judged;
}

function gatewayProblem({ spec }: Gateway, host: string): Verdict | undefined {
  const { addresses = [], infrastructure, tls } = spec;
  const address = addresses.find(({ type = "IPAddress", value }) => type !== "IPAddress" || (value && value !== host));
  if (address) {
    const { type = "IPAddress", value = "" } = address;
    return {
      reason: "UnsupportedAddress",
      message: `the address ${value} (${type}) is not ${host}, the only one here`,
    };
  }
  if (infrastructure?.parametersRef) {
    return { reason: "InvalidParameters", message: "a Gateway takes no parameters here" };
  }
  // To pass over this one would let everybody in.
  return tls && { reason: "Invalid", message: "tls of a whole Gateway (client certificates) is not supported" };
}
