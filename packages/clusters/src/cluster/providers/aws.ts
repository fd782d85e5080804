/**
 * Each zone has three subnets. A quarter of the network belongs to each of the first three zones, and the last quarter
 * to all that may come later, in small pieces: so a zone can be added without moving those that are there.
 *
 *     |  zone 1: workers ½, public ¼, internal ¼  |  zone 2  |  zone 3  |  zones 4–8, a sixteenth of it each subnet  |
 */
import { formatRange, pieceOf, type Range } from "./cidr.ts";
import { blobOf, type Provider } from "./provider.ts";

const zonesWithAQuarter = 3;
const mostZones = 8;
/** What a VPC may have, and its smallest subnet. */
const prefixes = { from: 16, to: 24, subnet: 28 };

export const aws: Provider = {
  type: "aws",
  volume: { type: "gp3", size: "80Gi" },
  roomProblem({ prefix }, zones) {
    if (prefix < prefixes.from || prefix > prefixes.to)
      return `the network of the nodes is a /${prefix}: AWS needs one from /${prefixes.from} to /${prefixes.to}`;
    if (zones > mostZones) return `${zones} zones are asked for: there is room for ${mostZones}`;
    const largest = prefixes.subnet - smallPiece;
    if (zones > zonesWithAQuarter && prefix > largest)
      return `the network of the nodes is a /${prefix}: more than ${zonesWithAQuarter} zones need a /${largest} or larger`;
    return undefined;
  },
  infrastructureConfig: ({ nodes, zones }) =>
    blobOf("aws", "InfrastructureConfig", {
      networks: {
        vpc: { cidr: formatRange(nodes) },
        zones: zones.map((name, index) => ({ name, ...subnetsOf(nodes, index) })),
      },
    }),
  controlPlaneConfig: () => blobOf("aws", "ControlPlaneConfig"),
  // Credentials of the machine only to those who ask with a token: a pod that is tricked into a request has none.
  workerConfig: blobOf("aws", "WorkerConfig", {
    instanceMetadataOptions: { httpTokens: "required", httpPutResponseHopLimit: 2 },
  }),
};

/** How much longer the prefix of such a subnet is than the network's. */
const [half, quarter, smallPiece] = [3, 4, 6];

function subnetsOf(nodes: Range, index: number): { workers: string; public: string; internal: string } {
  const piece = (longer: number, at: number) => formatRange(pieceOf(nodes, nodes.prefix + longer, at) as Range);
  if (index < zonesWithAQuarter)
    return {
      workers: piece(half, index * 2),
      public: piece(quarter, index * 4 + 2),
      internal: piece(quarter, index * 4 + 3),
    };
  // 64 small pieces: the last quarter begins with the 48th.
  const at = 48 + (index - zonesWithAQuarter) * 3;
  return { workers: piece(smallPiece, at), public: piece(smallPiece, at + 1), internal: piece(smallPiece, at + 2) };
}
