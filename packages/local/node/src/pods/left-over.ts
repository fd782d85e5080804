/** A pod that is no more, for what an engine or a directory still has of it. */
import type { Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import type { SeenPod } from "./seen.ts";

/** As little as it takes to end it. */
export function leftOver(uid: string, { pauses, containers }: SeenPod): Stored<Pod> {
  const [one] = [...pauses, ...containers];
  const { namespace = "", pod: name = uid } = one?.identity ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, uid, resourceVersion: "0", creationTimestamp: "1970-01-01T00:00:00Z" },
    spec: { containers: [], terminationGracePeriodSeconds: 1 },
  };
}
