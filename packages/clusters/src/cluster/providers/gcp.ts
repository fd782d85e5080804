/** One subnet for the whole region. The control plane needs to know one of the zones. */
import { formatRange } from "./cidr.ts";
import { blobOf, type Provider } from "./provider.ts";

const prefixes = { from: 8, to: 29 };

export const gcp: Provider = {
  type: "gcp",
  volume: { type: "pd-balanced", size: "80Gi" },
  roomProblem: ({ prefix }) =>
    prefix < prefixes.from || prefix > prefixes.to
      ? `the network of the nodes is a /${prefix}: Google needs one from /${prefixes.from} to /${prefixes.to}`
      : undefined,
  infrastructureConfig: ({ nodes }) =>
    blobOf("gcp", "InfrastructureConfig", { networks: { workers: formatRange(nodes) } }),
  controlPlaneConfig: ({ zones }) => blobOf("gcp", "ControlPlaneConfig", { zone: zones[0] }),
};
