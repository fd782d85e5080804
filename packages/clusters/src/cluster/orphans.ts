/**
 * Shoots with our marks whose Cluster is gone: somebody has taken our finalizer away. They are told of, and never deleted:
 * nobody asked for that, and a wrong list of Clusters must not cost a single cluster.
 */
import type { Stored } from "@berg/apimachinery";
import type { Informer, Logger, Manager, Watch } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import type { Shoot } from "../gardener/kinds.ts";
import { annotations, labels } from "../vocabulary.ts";

interface Copies {
  clusters: Informer<Cluster>;
  shoots: Informer<Shoot>;
}

/** Pure. */
export function orphansOf(shoots: readonly Stored<Shoot>[], clusters: readonly Stored<Cluster>[]): Stored<Shoot>[] {
  const uids = new Set(clusters.map(({ metadata }) => metadata.uid));
  return shoots.filter((shoot) => {
    const uid = clusterUidOf(shoot);
    return uid !== undefined && !uids.has(uid);
  });
}

/** Also by its label: whoever took off the annotation has made it nobody's, and somebody pays for it. */
function clusterUidOf({ metadata }: Stored<Shoot>): string | undefined {
  return metadata.annotations?.[annotations.clusterUid] ?? metadata.labels?.[labels.clusterUid];
}

const mostNamed = 10;

/** In the log, once for each, and in `/readyz?verbose` as long as they are there. */
export function reportOrphans(manager: Manager, { clusters, shoots }: Copies, resyncMs: number): void {
  const told = new Set<string>();
  const find = () => orphansOf(shoots.list(), clusters.list());
  manager.addReadyNote("orphaned-shoots", () => {
    const names = find().map(({ metadata }) => metadata.name);
    return names.length === 0 ? "none" : `${names.length}: ${names.slice(0, mostNamed).join(", ")}`;
  });
  manager.addController({
    name: "orphanedshoots",
    workers: 1,
    resyncMs,
    watches: [atEachResync(clusters)],
    async reconcile(_, { log }) {
      tell(find(), told, log);
      return undefined;
    },
  });
}

function tell(orphans: readonly Stored<Shoot>[], told: Set<string>, log: Logger): void {
  const uids = new Set(orphans.map(({ metadata }) => metadata.uid));
  for (const uid of told) if (!uids.has(uid)) told.delete(uid);
  for (const orphan of orphans) {
    const { metadata } = orphan;
    if (told.has(metadata.uid)) continue;
    told.add(metadata.uid);
    const { [annotations.clusterName]: name, [annotations.clusterNamespace]: namespace } = metadata.annotations ?? {};
    log.warn(
      { shoot: metadata.name, cluster: name === undefined ? clusterUidOf(orphan) : `${namespace}/${name}` },
      "a Shoot has outlived its Cluster: delete it in Gardener",
    );
  }
}

/** One key, for all of them. */
function atEachResync(clusters: Informer<Cluster>): Watch {
  return { informers: [clusters], start: () => () => {}, all: () => ["all"] };
}
