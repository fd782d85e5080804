/** Every field of a full manifest in turn holds every odd value: what tests put to both validations. */
import { fullChallengeSpec } from "./cases/challenge.ts";
import { fullInstanceSpec, fullStatus } from "./cases/challenge-instance.ts";
import { fullClusterSpec, fullClusterStatus } from "./cases/cluster.ts";
import { fullCompetitionSpec } from "./cases/competition.ts";
import { fullNetworkSpec, fullNetworkStatus } from "./cases/container-network.ts";
import { fullTunnelProxySpec, fullTunnelProxyStatus } from "./cases/container-network-tunnel-proxy.ts";
import { fullKubeconfigSpec, fullKubeconfigStatus } from "./cases/kubeconfig-request.ts";
import { fullPageSpec } from "./cases/page.ts";
import { fullSubscriptionSpec, fullSubscriptionStatus } from "./cases/subscription-request.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import type { StructuralSchema } from "./structural.ts";

export interface Odd {
  /** Such as `Challenge spec.tags = ["x"]`. */
  name: string;
  kind: string;
  /** The status is there only where the odd value is in it. */
  body: { spec: unknown; status?: unknown };
}

type Path = (string | number)[];

const oddValues: unknown[] = [
  ...[null, true, {}, { a: 1 }, [], [null], ["x"], [1], [{}]],
  ...[0, -1, 1, 1.5, 511, 512, 65_536, 1_000_001, 1e20],
  ...["", "x", "X", "a b", "x\n", "\0", "🚩", "-1", "0", "08", "0o7", "1h", "TCP\n", "/", "/a:b", "a".repeat(5000)],
  ...["2028-02-29T00:00:00Z", "2027-02-29T00:00:00Z", "2026-10-01t20:00:00z", "2026-10-01T23:59:60Z"],
];

export function* oddManifests(crds: CustomResourceDefinition[]): Generator<Odd> {
  for (const crd of crds) {
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    const { kind } = crd.spec.names;
    for (const path of everyPath(schema)) {
      for (const value of oddValues) {
        const { spec, status } = withValue(fullManifest(kind, path), path, value);
        yield {
          name: `${kind} ${path.join(".")} = ${JSON.stringify(value).slice(0, 40)}`,
          kind,
          body: path[0] === "status" ? { spec, status } : { spec },
        };
      }
    }
  }
}

function everyPath(schema: StructuralSchema, path: Path = []): Path[] {
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => everyPath(field, [...path, name])),
    ...(schema.items ? everyPath(schema.items, [...path, 0]) : []),
    ...(schema.additionalProperties ? everyPath(schema.additionalProperties, [...path, "NAME"]) : []),
  ];
}

const fullManifests: Record<string, { spec: unknown; status?: unknown }> = {
  ChallengeInstance: { spec: fullInstanceSpec, status: fullStatus },
  Competition: { spec: fullCompetitionSpec },
  Page: { spec: fullPageSpec },
  ContainerNetwork: { spec: fullNetworkSpec, status: fullNetworkStatus },
  ContainerNetworkTunnelProxy: { spec: fullTunnelProxySpec, status: fullTunnelProxyStatus },
  Cluster: { spec: fullClusterSpec, status: fullClusterStatus },
  SubscriptionRequest: { spec: fullSubscriptionSpec, status: fullSubscriptionStatus },
  KubeconfigRequest: { spec: fullKubeconfigSpec, status: fullKubeconfigStatus },
};

/** Everything a manifest can hold; that of a Challenge with the way of the flag that `path` is about. */
function fullManifest(kind: string, path: Path): { spec: unknown; status?: unknown } {
  const full = fullManifests[kind];
  if (full) return full;
  const way = path.includes("env")
    ? { env: { name: "F" } }
    : path.includes("executable")
      ? { executable: { path: "/f" } }
      : undefined;
  const containers = fullChallengeSpec.containers.map((full) => ({ ...full, ...(way && { dynamicFlag: way }) }));
  return { spec: { ...fullChallengeSpec, containers } };
}

function withValue<T>(root: T, [first, ...rest]: Path, value: unknown): T {
  if (first === undefined) return value as T;
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string, unknown>;
  copy[first] = withValue(copy[first], rest, value);
  return copy as T;
}
