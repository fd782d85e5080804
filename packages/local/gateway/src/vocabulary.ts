/** What the gateway is called, and what it says in conditions: types and reasons are the Gateway API's own. */
import type { WantedCondition } from "@berg/kube";

/** GatewayClasses with this name in `spec.controllerName` are served here. */
export const controllerName = "local.berg.norelect.ch/gateway";

/** In `tls.options` of a listener: who makes its certificates, where no Secret holds one. */
export const certificateOption = "local.berg.norelect.ch/certificate";
export const issuedHere = "issued";

export const pageTexts = {
  unknownHost: "There is nothing here.\n",
  noRule: "There is nothing at this path.\n",
  misdirected: "This connection is for another host.\n",
  brokenRoute: "The route to this host leads nowhere.\n",
  badGateway: "The server behind this address broke off the connection.\n",
  badRequest: "The request cannot be understood.\n",
  tooManyHeaders: "The request has too many header fields.\n",
} as const;

type Verdict = Pick<WantedCondition, "reason" | "message">;

export function isTrue(type: string, reason: string, message = ""): WantedCondition {
  return { type, status: "True", reason, message };
}

export function isFalse(type: string, { reason, message }: Verdict): WantedCondition {
  return { type, status: "False", reason, message };
}

export type { Verdict };
