/**
 * What makes one cloud different from another, for Gardener: the blobs whose meaning is its extension's. Pure. Another
 * cloud is one file more beside aws.ts, its line in providers.ts, and its name in `clusterProviders` of @berg/resources,
 * without which no Cluster can ask for it.
 */
import type { ProviderBlob } from "../../gardener/kinds.ts";
import type { Range } from "./cidr.ts";

export interface Provider {
  /** Of `spec.provider.type` of a Shoot, and the name of the CloudProfile where the Cluster names none. */
  readonly type: string;
  /** Of the machines, where the Cluster says nothing. */
  readonly volume: { readonly type: string; readonly size: string };
  /** Why so many zones do not fit into this network; undefined where they do. */
  roomProblem(nodes: Range, zones: number): string | undefined;
  infrastructureConfig(layout: Layout): ProviderBlob;
  controlPlaneConfig(layout: Layout): ProviderBlob;
  /** Of each machine. */
  workerConfig?: ProviderBlob;
}

export interface Layout {
  /** The network of the machines. */
  readonly nodes: Range;
  /** In the order in which they were chosen: a zone that comes later changes nothing for those before it. */
  readonly zones: readonly string[];
}

export function blobOf(provider: string, kind: string, fields: Record<string, unknown> = {}): ProviderBlob {
  return { apiVersion: `${provider}.provider.extensions.gardener.cloud/v1alpha1`, kind, ...fields };
}
