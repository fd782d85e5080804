/** Each zone has an eighth of the network, and a gateway of its own to the outside. */
import { formatRange, pieceOf, type Range } from "./cidr.ts";
import { blobOf, type Provider } from "./provider.ts";

const mostZones = 3;
const eighth = 3;
const prefixes = { from: 8, to: 24 };

export const azure: Provider = {
  type: "azure",
  volume: { type: "StandardSSD_LRS", size: "80Gi" },
  roomProblem({ prefix }, zones) {
    if (prefix < prefixes.from || prefix > prefixes.to)
      return `the network of the nodes is a /${prefix}: Azure needs one from /${prefixes.from} to /${prefixes.to}`;
    return zones > mostZones ? `${zones} zones are asked for: Azure has ${mostZones} in a region` : undefined;
  },
  infrastructureConfig: ({ nodes, zones }) =>
    blobOf("azure", "InfrastructureConfig", {
      networks: {
        vnet: { cidr: formatRange(nodes) },
        zones: zones.map((zone, index) => ({
          // A number here, and a text on the worker.
          name: Number(zone),
          cidr: formatRange(pieceOf(nodes, nodes.prefix + eighth, index) as Range),
          natGateway: { enabled: true, idleConnectionTimeoutMinutes: 4 },
        })),
      },
      zoned: true,
    }),
  controlPlaneConfig: () => blobOf("azure", "ControlPlaneConfig"),
};
