/** How fast the cluster's own namespace controller removes namespaces that hold what an instance's does. */
import { Namespaces } from "@berg/kube";
import type { Cluster } from "../instances/cluster.ts";
import { inFlight } from "../instances/pace.ts";
import { part, type Recording } from "../instances/recording.ts";
import type { Replayed, ReplaySettings } from "../instances/replay.ts";
import { runChild } from "../runtime/child.ts";

const limit = 32;

/** A second. Nobody stops a workload first: there is none, as there is none when the controller deletes a namespace. */
export async function namespaceRate(cluster: Cluster, recording: Recording, count: number): Promise<number> {
  const isInNamespace = (path: string) => path.includes(recording.ownerId) && !path.includes("challengeinstances");
  const objects = part(
    recording,
    ({ path, resource }) => resource === "namespaces" || (isInNamespace(path) && resource !== "deployments"),
  );
  const settings: ReplaySettings = {
    ...cluster.server,
    recording: objects,
    warmUp: 0,
    count,
    pace: { inFlight: limit },
    waitsForPods: false,
  };
  const { ownerIds } = await runChild<Replayed>(new URL("../instances/replay.ts", import.meta.url), settings);
  const left = [...ownerIds];
  const started = performance.now();
  await inFlight(count, limit, () => cluster.client.delete(Namespaces, "", `challenge-${left.pop()}`));
  await Promise.all(ownerIds.map((ownerId) => cluster.lives.of(ownerId).namespaceGone.promise));
  return (count * 1000) / (performance.now() - started);
}
