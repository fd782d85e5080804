/** Takes a namespace of ours one step further towards its end. */
import type { Stored } from "@berg/apimachinery";
import { Deployments, type Namespace, Namespaces, Pods } from "@berg/kube";
import { instanceUidOf } from "./marks.ts";
import { type Removing, remove, removeNamespace } from "./remove.ts";
import type { TakeDown } from "./take-down.ts";

/** What somebody else has changed meanwhile is looked at again. */
const raceMs = 1000;

/** Returns when to look again, in ms since 1970; undefined where nothing is left to do. */
export async function clear(
  removing: Removing,
  namespace: Stored<Namespace>,
  step: TakeDown,
  why: string,
  now: number,
): Promise<number | undefined> {
  const instanceUid = instanceUidOf(namespace);
  if (instanceUid === undefined) return undefined;
  const waits = (why: string) =>
    removing.report({ kind: Namespaces.kind, name: namespace.metadata.name, did: "waits", why });
  switch (step.next) {
    case "nothing":
      return undefined;
    case "wait":
      waits(step.why);
      return step.lookAgainAt;
    case "stop":
      await all([
        ...step.deployments.map((each) => remove(removing, Deployments, each, why)),
        ...step.pods.map((each) => remove(removing, Pods, each, why)),
      ]);
      if (!removing.dryRun) {
        waits("what runs in it was asked to stop");
        return step.lookAgainAt;
      }
      await remove(removing, Namespaces, namespace, why);
      return undefined;
    case "remove":
      removing.going.asked(namespace, now);
      return (await removeNamespace(removing, namespace, instanceUid, why)) ? undefined : now + raceMs;
  }
}

/** All have been tried before the first failure is thrown. */
async function all(attempts: Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(attempts);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
