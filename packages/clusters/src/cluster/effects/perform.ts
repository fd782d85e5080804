/** Does one step. What it finds out on the way goes into the facts of this look. */
import type { Stored } from "@berg/apimachinery";
import { addFinalizer, removeFinalizer } from "@berg/kube";
import { type Cluster, Clusters, SubscriptionRequests } from "@berg/resources";
import { withLimit } from "../../target/limit.ts";
import { annotations, finalizers } from "../../vocabulary.ts";
import { setBindings } from "../administrators/set-bindings.ts";
import { oneMore, retriesOf } from "../judge/retries.ts";
import type { Facts, Seen } from "../seen.ts";
import type { Step } from "../step.ts";
import { eventReasons, texts } from "../vocabulary.ts";
import { removeAuthentication, writeAuthentication } from "./authentication.ts";
import { reach } from "./reach.ts";
import { changeShoot, confirmDeletion, createShoot, deleteShoot, findShoot, leaveShoot, retryShoot } from "./shoot.ts";
import type { Surroundings } from "./surroundings.ts";

/** Less than a reconcile: a target that takes its time must not keep us from saying so. */
const longestVisitMs = 30_000;

export async function perform(
  step: Step,
  seen: Seen,
  facts: Facts,
  around: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, shootName, time } = seen;
  const { client, clusters, targets, recorder, clock } = around;
  switch (step.do) {
    case "hold":
      clusters.wrote(await addFinalizer(client, Clusters, cluster, finalizers.cluster, { signal }));
      break;
    case "requestSubscription":
      await requestSubscription(cluster, around, signal);
      break;
    case "findShoot":
      await findShoot(shootName, facts, around, signal);
      break;
    case "writeAuthentication":
      await writeAuthentication(step.authentication, cluster, around, signal);
      facts.authentication = step.authentication.digest;
      delete facts.authenticationIsGone;
      delete facts.told;
      break;
    case "createShoot":
      await createShoot(step, shootName, cluster, facts, around, signal);
      break;
    case "changeShoot":
      await changeShoot(step.shoot, cluster, step.wanted, around, signal);
      facts.told = step.wanted.annotations[annotations.authenticationDigest];
      break;
    case "retryShoot": {
      const retries = retriesOf(step.shoot, cluster);
      await retryShoot(step.shoot, oneMore(retries, cluster, time), around, signal);
      recorder.event(cluster, "Normal", eventReasons.retried, texts.asksAgain(shootName, retries.count + 1));
      break;
    }
    case "setAdministrators":
      await withLimit(longestVisitMs, clock, signal, async (visit) => {
        const target = await targets.open(cluster, visit);
        try {
          await setBindings(target.client, cluster, step.administrators, visit);
        } finally {
          target.done?.();
        }
      });
      facts.administrators = step.administrators;
      break;
    case "reach":
      facts.reached = await reach(seen, around, signal);
      break;
    case "revokeAccess":
      await revokeAccess(cluster, around, signal);
      break;
    case "leaveAccess":
      recorder.event(cluster, "Warning", eventReasons.orphanedAccess, texts.accessLeft);
      facts.accessIsLeft = true;
      break;
    case "confirmDeletion":
      await confirmDeletion(step.shoot, around, signal);
      break;
    case "deleteShoot":
      await deleteShoot(step.shoot, cluster, around, signal);
      break;
    case "leaveShoot":
      await leaveShoot(step.shoot, around, signal);
      break;
    case "removeAuthentication":
      await removeAuthentication(shootName, cluster, around, signal);
      facts.authenticationIsGone = true;
      delete facts.authentication;
      break;
    case "releaseSubscription": {
      const { namespace = "", name, uid } = step.subscription.metadata;
      await client.delete(SubscriptionRequests, namespace, name, { preconditions: { uid }, signal });
      around.subscriptions.deleted(uid);
      break;
    }
    case "letGo":
      await letGo(cluster, around, signal);
      break;
  }
}

async function requestSubscription(cluster: Stored<Cluster>, around: Surroundings, signal: AbortSignal): Promise<void> {
  const { name, namespace = "", uid, labels = {} } = cluster.metadata;
  const { core, infrastructure } = cluster.spec;
  if (!infrastructure) return;
  const { provider, subscriptionSelector, platformRegion, euAccess, plan } = infrastructure;
  const owner = { apiVersion: cluster.apiVersion, kind: cluster.kind, name, uid, controller: true };
  around.subscriptions.wrote(
    await around.client.create(
      SubscriptionRequests,
      {
        // Its labels tell the same people of it that they tell of the Cluster.
        metadata: { name, namespace, labels, ownerReferences: [owner] },
        spec: {
          provider,
          subscriptionSelector,
          ...(core && { region: core.region }),
          ...(platformRegion !== undefined && { platformRegion }),
          ...(euAccess !== undefined && { euAccess }),
          ...(plan !== undefined && { plan }),
        },
      },
      { signal },
    ),
  );
}

async function revokeAccess({ metadata }: Stored<Cluster>, { client, clusters }: Surroundings, signal: AbortSignal) {
  const { namespace = "", name, resourceVersion } = metadata;
  const body = { metadata: { resourceVersion, annotations: { [annotations.revokeAll]: "true" } } };
  clusters.wrote(await client.patch(Clusters, namespace, name, { type: "merge", body }, { signal }));
}

async function letGo(
  cluster: Stored<Cluster>,
  { client, clusters, memories, targets }: Surroundings,
  signal: AbortSignal,
) {
  const { uid } = cluster.metadata;
  const left = await removeFinalizer(client, Clusters, cluster, finalizers.cluster, { signal });
  if (left) clusters.wrote(left);
  else clusters.gone(uid);
  memories.forget(uid);
  targets.forget(uid);
}
