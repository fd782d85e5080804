/** Kinds that come with the Gateway API and with Cilium: whether the cluster has those that an instance needs. */
import type { Workload } from "../builders/blueprint.ts";
import type { BuildSettings } from "../settings/settings.ts";
import { type ConditionType, conditionTypes } from "../vocabulary.ts";
import type { Snapshot } from "./snapshot.ts";

/** How often the cluster is asked whether a kind has been installed. */
export const askForKindsMs = 15_000;

export interface MissingKind {
  condition: ConditionType;
  message: string;
}

const texts: Record<string, { condition: ConditionType; message: string }> = {
  CiliumNetworkPolicy: {
    condition: conditionTypes.networkPolicyCreated,
    message:
      "The cluster has no CiliumNetworkPolicy, or they cannot be listed (the log says why): install Cilium with its CRD ciliumnetworkpolicies.cilium.io, or set NETWORK_POLICY=kubernetes.",
  },
  HTTPRoute: {
    condition: conditionTypes.routesCreated,
    message:
      "The cluster has no HTTPRoute, or they cannot be listed (the log says why): install the Gateway API with its CRD httproutes.gateway.networking.k8s.io.",
  },
  TLSRoute: {
    condition: conditionTypes.routesCreated,
    message:
      "The cluster has no TLSRoute, or they cannot be listed (the log says why): install the Gateway API with its CRD tlsroutes.gateway.networking.k8s.io.",
  },
};

/** Those of the kinds above that an instance with this workload is made of. */
export function neededKinds({ containers }: Pick<Workload, "containers">, { network }: BuildSettings): string[] {
  const uses = (type: string) => containers.some(({ ports }) => ports.some((port) => port.type === type));
  const needed: string[] = [];
  if (network.policy === "cilium" || network.policy === "both") needed.push("CiliumNetworkPolicy");
  if (uses("publicHttpRoute")) needed.push("HTTPRoute");
  if (uses("publicTlsRoute")) needed.push("TLSRoute");
  return needed;
}

export function missingKinds(
  workload: Pick<Workload, "containers">,
  settings: BuildSettings,
  kinds: Snapshot["kinds"],
): MissingKind[] {
  return neededKinds(workload, settings)
    .filter((kind) => !kinds.has(kind))
    .flatMap((kind) => texts[kind] ?? []);
}
