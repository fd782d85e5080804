/** One look at one instance: says in its condition whether it is stuck, and does what the organiser's policy asks for. */
import type { Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type EventRecorder,
  type Informer,
  type OwnWrites,
  type Pod,
  Pods,
  type Result,
  setCondition,
  timestamp,
  type WantedCondition,
} from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, fieldManagers, foreignConditions } from "@berg/resources";
import { by } from "../observe/caches.ts";
import { readNow } from "../observe/lookup.ts";
import type { ListenerSettings } from "../settings/listener.ts";
import { eventReasons, stuckRestartsAnnotation } from "../vocabulary.ts";
import type { StuckPods } from "./confirm.ts";
import { type Action, decideAction, wantedCondition } from "./decide.ts";
import type { Findings } from "./findings.ts";
import { type Summary, summaryOf } from "./summary.ts";

export interface StuckHandler {
  client: Client;
  recorder: EventRecorder;
  /** With our own writes: an event is told once, even where the copy is behind. */
  instances: OwnWrites<ChallengeInstance>;
  pods: Pick<Informer<Pod>, "byIndex">;
  findings: Findings;
  /** Those of these pods that are stuck right now, as the server has them. */
  confirm: StuckPods;
  settings: ListenerSettings;
  clock: Clock;
}

/** The pod may be stuck again in a moment, which would be no news. */
const lookAgainMs = 5_000;

export async function handleStuck(
  uid: string,
  handler: StuckHandler,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const [instance] = handler.instances.byIndex(by.uid, uid);
  if (!instance) return undefined;
  // Whoever copies our labels to a pod elsewhere does not make it ours.
  const isInside = ({ namespace }: { namespace?: string }) => namespace === instance.status?.namespace;
  const findings = handler.findings.of(uid).filter(isInside);
  const looked = new Set(findings.map(({ podUid }) => podUid));
  const pods = handler.pods.byIndex(by.instance, uid).filter(({ metadata }) => isInside(metadata));
  const summary = summaryOf(
    findings,
    pods.every(({ metadata }) => looked.has(metadata.uid)),
  );
  const wanted = wantedCondition(instance, summary);
  if (wanted) await say(instance, wanted, handler, signal);
  const action = decideAction(instance, summary, handler.settings, handler.clock.now());
  if (action.do === "nothing") return undefined;
  if (action.do === "wait") return { requeueAfterMs: action.untilMs - handler.clock.now() };
  return act(instance, summary, await handler.confirm(action.pods, signal), handler, signal);
}

/** With the UID: a new instance of the same name is not told what the old one suffered from. */
async function say(
  instance: Stored<ChallengeInstance>,
  wanted: WantedCondition,
  { client, instances, recorder, clock }: StuckHandler,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name, uid } = instance.metadata;
  const known = instance.status?.conditions?.filter(({ type }) => type === foreignConditions.stuck);
  const conditions = setCondition(known, wanted, timestamp(clock));
  const options = { subresource: "status", fieldManager: fieldManagers.listener, force: true, signal };
  instances.wrote(
    await client.apply(ChallengeInstances, { metadata: { namespace, name, uid }, status: { conditions } }, options),
  );
  if (wanted.status === "True") recorder.event(instance, "Warning", eventReasons.stuck, wanted.message);
  else recorder.event(instance, "Normal", eventReasons.recovered, wanted.message);
}

/** A copy of the instance that is behind must not give it a restart too many: what the server has of it decides. */
async function act(
  { metadata }: Stored<ChallengeInstance>,
  summary: Summary,
  stuck: Stored<Pod>[],
  handler: StuckHandler,
  signal: AbortSignal,
): Promise<Result | undefined> {
  if (stuck.length === 0) return { requeueAfterMs: lookAgainMs };
  const now = await readNow(handler.client, ChallengeInstances, metadata.namespace ?? "", metadata.name, signal);
  if (now?.metadata.uid !== metadata.uid) return undefined;
  const action = decideAction(now, summary, handler.settings, handler.clock.now());
  switch (action.do) {
    case "restart":
      return restart(now, stuck, action, handler, signal);
    case "terminate":
      return terminate(now, handler, signal);
    case "wait":
      return { requeueAfterMs: action.untilMs - handler.clock.now() };
    case "nothing":
      return undefined;
  }
}

/**
 * Counted first: a crash in between costs a restart, and never gives one too many. Whoever wrote to the instance
 * meanwhile, such as another listener, makes this a conflict, and it is looked at again.
 */
async function restart(
  instance: Stored<ChallengeInstance>,
  stuck: Stored<Pod>[],
  { mark, isLast }: Extract<Action, { do: "restart" }>,
  { client, recorder, instances }: StuckHandler,
  signal: AbortSignal,
): Promise<undefined> {
  const { namespace = "", name, uid, resourceVersion } = instance.metadata;
  const metadata = { namespace, name, uid, resourceVersion, annotations: { [stuckRestartsAnnotation]: mark } };
  const options = { fieldManager: fieldManagers.listener, force: true, signal };
  instances.wrote(await client.apply(ChallengeInstances, { metadata }, options));
  for (const { metadata: pod } of stuck) {
    // One that has changed since, perhaps for the better, is refused as a conflict, and looked at again.
    const preconditions = { uid: pod.uid, resourceVersion: pod.resourceVersion };
    await client.delete(Pods, pod.namespace ?? "", pod.name, { preconditions, signal });
  }
  const words = isLast ? "The stuck pods are made anew, for the last time" : "The stuck pods are made anew";
  recorder.event(instance, "Warning", eventReasons.restarted, words);
}

async function terminate(
  instance: Stored<ChallengeInstance>,
  { client, recorder, instances }: StuckHandler,
  signal: AbortSignal,
): Promise<undefined> {
  const { namespace = "", name, uid, resourceVersion } = instance.metadata;
  const operations = [
    { op: "test", path: "/metadata/uid", value: uid },
    // Not a `test`: whoever wrote meanwhile, such as its owner who ends it, is a conflict and no mistake of ours.
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/spec/terminationReason", value: "Failure" },
  ];
  const options = { fieldManager: fieldManagers.listener, signal };
  instances.wrote(await client.patch(ChallengeInstances, namespace, name, { type: "json", operations }, options));
  recorder.event(instance, "Warning", eventReasons.ended, "This instance is ended because it is stuck");
}
