/** Whether a cluster has what tunnels are asked for with. */
import { type Client, ConfigurationError } from "@berg/kube";
import { ContainerNetworks, ContainerNetworkTunnelProxies } from "@berg/resources";

const required = [ContainerNetworks, ContainerNetworkTunnelProxies];

/** Else its owner would see nothing but caches that do not fill. */
export async function requireKinds({ discovery }: Pick<Client, "discovery">, signal: AbortSignal): Promise<void> {
  const served = await Promise.all(required.map(({ group, kind }) => discovery.find({ group, kind }, { signal })));
  const missing = required.filter((_, at) => !served[at]);
  if (missing.length === 0) return;
  const kinds = missing.map(({ kind }) => kind).join(" and no ");
  const files = missing.map(({ resource }) => `crds/${resource}.yaml`).join(" and ");
  throw new ConfigurationError(
    `the cluster has no ${kinds}: apply ${files}, or all our kinds with \`berg crds | kubectl apply -f -\``,
  );
}
