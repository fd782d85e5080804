/**
 * Brings a Deployment's template to its pods, by way of ReplicaSets: one for each template it ever had, of which all but
 * the newest shrink to nothing and stay as history.
 *
 * Each turn does one step (make the current ReplicaSet, or let it grow, or let the old ones shrink), and writes the
 * status once, at its end. What the step changes brings the next turn.
 */
import { jsonEqual, keyOf, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  type Deployment,
  Deployments,
  deleteChild,
  findCondition,
  type Manager,
  OwnWrites,
  type Pod,
  Pods,
  type ReplicaSet,
  ReplicaSets,
  timestamp,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import { claim, controllerOf, ownerIndexOf, selectorOf } from "../replica-sets/claim.ts";
import { hasEnded } from "../replica-sets/pods.ts";
import { isSameStatus } from "../replica-sets/status.ts";
import { makeReplicaSet } from "./current.ts";
import { isRolling, limitsOf } from "./limits.ts";
import { nextCheckMs, rolloutStatus } from "./progress.ts";
import { currentAnnotations, notedSize, revisionAnnotation, revisionOf, sizeAnnotations } from "./revisions.ts";
import { growingSize, olderFirst, type Resize, rescale, shrink, sizeOf, sum } from "./sizes.ts";
import { countedStatus, type DeploymentStatus, deadlineOf, isComplete, withCondition } from "./status.ts";
import { isSameTemplate, templateOf } from "./template.ts";

/** What one turn works on. */
interface Turn {
  /** As it is to become: with the conditions and annotations that this turn sets. */
  deployment: Stored<Deployment>;
  current: Stored<ReplicaSet> | undefined;
  old: Stored<ReplicaSet>[];
  signal: AbortSignal;
}

const unlimitedHistory = 2 ** 31 - 1;

export function addDeploymentController(manager: Manager, { clock }: { clock: Clock }): void {
  const { client } = manager;
  const recorder = manager.recorderFor("deployment-controller");
  const cachedDeployments = manager.informer(Deployments);
  const cachedSets = manager.informer(ReplicaSets);
  const pods = manager.informer(Pods);
  const deployments = new OwnWrites(cachedDeployments, clock);
  const replicaSets = new OwnWrites(cachedSets, clock);
  replicaSets.ensureIndex("owner", ownerIndexOf);
  pods.ensureIndex("owner", ownerIndexOf);
  cachedSets.ensureIndex("uid", ({ metadata }) => [metadata.uid]);
  cachedDeployments.ensureIndex("uid", ({ metadata }) => [metadata.uid]);
  cachedDeployments.ensureIndex("namespace", ({ metadata }) => [metadata.namespace as string]);

  manager.addController({
    name: "deployments",
    watches: [
      watchSelf(cachedDeployments),
      watchMapped(cachedSets, deploymentsOf),
      watchMapped(pods, recreatingDeploymentsOf),
    ],
    async reconcile(key, { signal }) {
      const found = deployments.get(key);
      if (!found) return;
      const mine = await claim({ client, ownerType: Deployments, type: ReplicaSets, view: replicaSets }, found, signal);
      mine.sort(olderFirst);
      const current = mine.find((one) => isSameTemplate(templateOf(one), templateOf(found)));
      const old = mine.filter((one) => one !== current);
      const turn: Turn = { deployment: found, current, old, signal };
      const status = await step(turn);
      if (!status) return;
      await writeStatus(found, turn.deployment, status, signal);
      const requeueAfterMs = nextCheckMs(turn.deployment, status, clock.now());
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    },
  });

  /** The step of this turn, and the status after it; undefined where there is none to write. */
  async function step(turn: Turn): Promise<DeploymentStatus | undefined> {
    const { deployment } = turn;
    if (turn.current) await renewCurrent(turn);
    if (deployment.metadata.deletionTimestamp) return counted(turn);
    notePause(turn);
    const { paused } = deployment.spec ?? {};
    if (paused || isRescaled(turn)) {
      await resizeAll(turn, rescale(deployment, limitsOf(deployment), turn.current, turn.old), { always: true });
      if (paused) await forgetOld(turn);
      return counted(turn);
    }
    const isCut = isRolling(deployment) ? await rollOver(turn) : await recreate(turn);
    if (isCut === "collision") return undefined;
    return rolloutStatus(turn.deployment, turn.current, turn.old, moment());
  }

  async function rollOver(turn: Turn): Promise<"collision" | undefined> {
    const limits = limitsOf(turn.deployment);
    if (!turn.current && !(await makeCurrent(turn))) return "collision";
    const current = turn.current as Stored<ReplicaSet>;
    const replicas = growingSize(limits, sizeOf(current), sum(turn.old.map(sizeOf)), true);
    if (await resizeAll(turn, [{ replicaSet: current, replicas }])) return;
    if (await resizeAll(turn, shrink(limits, current, turn.old))) return;
    if (isComplete(turn.deployment, turn.deployment.status)) await forgetOld(turn);
    return undefined;
  }

  async function recreate(turn: Turn): Promise<"collision" | undefined> {
    if (
      await resizeAll(
        turn,
        turn.old.map((replicaSet) => ({ replicaSet, replicas: 0 })),
      )
    )
      return;
    if (turn.old.some(hasPods)) return;
    if (!turn.current && !(await makeCurrent(turn))) return "collision";
    const { replicas } = limitsOf(turn.deployment);
    await resizeAll(turn, [{ replicaSet: turn.current as Stored<ReplicaSet>, replicas }]);
    if (isComplete(turn.deployment, turn.deployment.status)) await forgetOld(turn);
    return undefined;
  }

  /** A pod that was deleted and has not ended yet still holds what the next one needs. */
  function hasPods({ metadata, status }: Stored<ReplicaSet>): boolean {
    return (status?.replicas ?? 0) > 0 || pods.byIndex("owner", metadata.uid).some((pod) => !hasEnded(pod));
  }

  async function makeCurrent(turn: Turn): Promise<boolean> {
    const { deployment, old, signal } = turn;
    const made = await makeReplicaSet(client, deployment, old, signal);
    const { name } = made;
    switch (made.outcome) {
      case "taken": {
        const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
        await writeStatus(deployment, deployment, { ...deployment.status, collisionCount }, signal);
        return false;
      }
      case "refused": {
        const message = `Failed to create new replica set "${name}": ${made.error.message}`;
        recorder.event(deployment, "Warning", "ReplicaSetCreateError", message);
        setProgressing(turn, "False", "ReplicaSetCreateError", message);
        await writeStatus(deployment, turn.deployment, turn.deployment.status ?? {}, signal);
        throw made.error;
      }
      case "made": {
        const size = sizeOf(made.replicaSet);
        replicaSets.wrote(made.replicaSet);
        turn.current = made.replicaSet;
        if (size > 0) tellScaled(deployment, name, 0, size);
        setProgressing(turn, "True", "NewReplicaSetCreated", `Created new replica set "${name}"`);
        setRevision(turn);
        return true;
      }
      case "found":
        turn.current = made.replicaSet;
        return true;
    }
  }

  /** The current one carries the highest revision, and the Deployment's own annotations. */
  async function renewCurrent(turn: Turn): Promise<void> {
    const { deployment, old } = turn;
    const current = turn.current as Stored<ReplicaSet>;
    const annotations = currentAnnotations(deployment, current.metadata.annotations, old);
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    const isAsItIs = jsonEqual(annotations, current.metadata.annotations ?? {});
    if (!isAsItIs || (current.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const spec = { ...current.spec, minReadySeconds } as NonNullable<ReplicaSet["spec"]>;
      await writeSet(turn, { ...current, metadata: { ...current.metadata, annotations }, spec });
    }
    setRevision(turn);
    if (!findCondition(deployment.status?.conditions, "Progressing"))
      setProgressing(turn, "True", "FoundNewReplicaSet", `Found new replica set "${current.metadata.name}"`);
  }

  function setRevision(turn: Turn): void {
    const { deployment, current } = turn;
    const revision = current?.metadata.annotations?.[revisionAnnotation];
    if (revision === undefined || deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
    const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: revision };
    turn.deployment = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  }

  function setProgressing(turn: Turn, status: "True" | "False" | "Unknown", reason: string, message: string): void {
    const { deployment } = turn;
    if (deadlineOf(deployment) === undefined) return;
    const wanted = { type: "Progressing", status, reason, message };
    const conditions = withCondition(deployment.status?.conditions, wanted, timestamp(clock));
    turn.deployment = { ...deployment, status: { ...deployment.status, conditions } };
  }

  /** The time of a pause does not count as time without progress. */
  function notePause(turn: Turn): void {
    const reason = findCondition(turn.deployment.status?.conditions, "Progressing")?.reason;
    if (reason === "ProgressDeadlineExceeded") return;
    const isNoted = reason === "DeploymentPaused";
    if (turn.deployment.spec?.paused) {
      if (!isNoted) setProgressing(turn, "Unknown", "DeploymentPaused", "Deployment is paused");
    } else if (isNoted) setProgressing(turn, "Unknown", "DeploymentResumed", "Deployment is resumed");
  }

  /** Whether the Deployment's size is another than when its ReplicaSets were last scaled. */
  function isRescaled({ deployment, current, old }: Turn): boolean {
    const { replicas } = limitsOf(deployment);
    const active = [...old, ...(current ? [current] : [])].filter((one) => sizeOf(one) > 0);
    return active.some((one) => (notedSize(one).desired ?? replicas) !== replicas);
  }

  /** Whether any had another size. `always`: notes the Deployment's size even on those that keep theirs. */
  async function resizeAll(turn: Turn, resizes: readonly Resize[], { always = false } = {}): Promise<boolean> {
    const { deployment } = turn;
    let isResized = false;
    for (const { replicaSet, replicas } of resizes) {
      const before = sizeOf(replicaSet);
      const { annotations: had } = replicaSet.metadata;
      const annotations = { ...had, ...sizeAnnotations(limitsOf(deployment)) };
      if (before === replicas && (!always || jsonEqual(annotations, had ?? {}))) continue;
      const spec = { ...replicaSet.spec, replicas } as NonNullable<ReplicaSet["spec"]>;
      await writeSet(turn, { ...replicaSet, metadata: { ...replicaSet.metadata, annotations }, spec });
      if (before === replicas) continue;
      isResized = true;
      tellScaled(deployment, replicaSet.metadata.name, before, replicas);
    }
    return isResized;
  }

  async function writeSet(turn: Turn, wanted: Stored<ReplicaSet>): Promise<void> {
    const written = await client.update(ReplicaSets, wanted, { signal: turn.signal });
    replicaSets.wrote(written);
    const isIt = (one: Stored<ReplicaSet> | undefined) => one?.metadata.uid === written.metadata.uid;
    if (isIt(turn.current)) turn.current = written;
    turn.old = turn.old.map((one) => (isIt(one) ? written : one));
  }

  function tellScaled(deployment: Stored<Deployment>, name: string, before: number, after: number): void {
    const way = before < after ? "up" : "down";
    const message = `Scaled ${way} replica set ${name} from ${before} to ${after}`;
    recorder.event(deployment, "Normal", "ScalingReplicaSet", message);
  }

  /** Deletes the oldest of those that are history, down to as many as the Deployment wants to keep. */
  async function forgetOld({ deployment, old, signal }: Turn): Promise<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? unlimitedHistory;
    const alive = old.filter(({ metadata }) => !metadata.deletionTimestamp);
    const surplus = limit === unlimitedHistory ? 0 : Math.max(0, alive.length - limit);
    const byRevision = alive.toSorted((a, b) => revisionOf(a) - revisionOf(b) || olderFirst(a, b));
    for (const one of byRevision.slice(0, surplus)) {
      const { metadata, status } = one;
      const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      if ((status?.replicas ?? 0) > 0 || sizeOf(one) > 0 || !isSeen) continue;
      await deleteChild(client, ReplicaSets, one, { propagationPolicy: "Background", signal });
      replicaSets.deleted(metadata.uid);
    }
  }

  function counted({ deployment, current, old }: Turn): DeploymentStatus {
    return countedStatus(deployment, current, old, moment());
  }

  async function writeStatus(
    found: Stored<Deployment>,
    wanted: Stored<Deployment>,
    status: DeploymentStatus,
    signal: AbortSignal,
  ): Promise<void> {
    const { annotations } = wanted.metadata;
    if (annotations === found.metadata.annotations && isSameStatus(found.status, status)) return;
    // The revision goes with the status: written with the rest of the object, it would count as a new generation.
    const changed = { ...wanted, status };
    deployments.wrote(await client.update(Deployments, changed, { subresource: "status", signal }));
  }

  function moment() {
    return { now: timestamp(clock), nowMs: clock.now() };
  }

  /** Whose it is; for one without a controller, who may want to adopt it. */
  function deploymentsOf(replicaSet: Stored<ReplicaSet>): string[] {
    const controller = controllerOf(replicaSet);
    if (controller) return cachedDeployments.byIndex("uid", controller.uid).map(keyOf);
    const { namespace, labels } = replicaSet.metadata;
    const near = cachedDeployments.byIndex("namespace", namespace as string);
    return near.filter((deployment) => selectorOf(deployment).matches(labels)).map(keyOf);
  }

  /** Those that wait for the end of their last pod. All others learn of pods from their ReplicaSets. */
  function recreatingDeploymentsOf(pod: Stored<Pod>): string[] {
    const owner = controllerOf(pod);
    const owners = owner ? cachedSets.byIndex("uid", owner.uid) : [];
    return owners.flatMap(deploymentsOf).filter((key) => {
      const deployment = cachedDeployments.get(key);
      return deployment !== undefined && !isRolling(deployment);
    });
  }
}
