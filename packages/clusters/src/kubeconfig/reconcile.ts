/**
 * One look at one KubeconfigRequest: gather → decide → do, until there is nothing left to do. A settled one costs no
 * request at all.
 */
import { isConflict, type ObjectKey } from "@berg/apimachinery";
import { addFinalizer, errorText, type Result } from "@berg/kube";
import { KubeconfigRequests } from "@berg/resources";
import { finalizers } from "../vocabulary.ts";
import { bring, retire, revoke } from "./bring.ts";
import { decide, type Step } from "./decide.ts";
import { type Confirmed, confirm, gather, type Surroundings } from "./gather.ts";
import { isLeftBehind, type Seen } from "./seen.ts";
import { tellUntold } from "./untold.ts";
import { visitTarget } from "./visit.ts";
import { events } from "./vocabulary.ts";
import { withdraw } from "./withdraw.ts";
import { endRotation, letGo, writeStatus } from "./write.ts";

/** From nothing to a kubeconfig it takes four. */
const mostRounds = 12;
/** Until it is tried again to take off an annotation that was answered. */
const stuckMs = 30_000;

export async function reconcile(
  key: ObjectKey,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let confirmed: Confirmed | undefined;
  let isAnswerStuck = false;
  for (let round = 0; round < mostRounds; round++) {
    const found = await gather(key, confirmed, around, signal);
    if (!found) return undefined;
    const seen = { ...found, isAnswerStuck };
    const step = decide(seen);
    if (step.do === "confirm") {
      confirmed = await confirm(seen, around, signal);
      continue;
    }
    if (step.do === "endRotation") {
      isAnswerStuck = await isEndRefused(seen, around, signal);
      continue;
    }
    const rest = step.do === "wait" ? waitUntil(step.until, seen) : await doStep(step, seen, around, signal);
    if (rest || step.do === "wait") return isAnswerStuck ? soon(rest) : rest;
  }
  throw new Error(`it did not come to rest in ${mostRounds} rounds`);
}

function waitUntil(until: number | undefined, { now }: Seen): Result | undefined {
  return until === undefined ? undefined : { requeueAfterMs: Math.max(0, until - now) };
}

/** Such as by a webhook. A conflict is no refusal: there is something newer to look at. */
async function isEndRefused({ request }: Seen, around: Surroundings, signal: AbortSignal): Promise<boolean> {
  try {
    await endRotation(request, around, signal);
    return false;
  } catch (error) {
    if (isConflict(error) || signal.aborted) throw error;
    around.log.warn({ error: errorText(error) }, "the annotation that asks for a rotation cannot be taken off");
    return true;
  }
}

function soon({ requeueAfterMs = stuckMs }: Result = {}): Result {
  return { requeueAfterMs: Math.min(requeueAfterMs, stuckMs) };
}

type Doable = Exclude<Step, { do: "wait" | "confirm" | "endRotation" }>;

/** A result where nothing more can be done now. */
async function doStep(
  step: Doable,
  seen: Seen,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client, requests } = around;
  const { request } = seen;
  switch (step.do) {
    case "hold":
      requests.wrote(await addFinalizer(client, KubeconfigRequests, request, finalizers.kubeconfig, { signal }));
      return undefined;
    case "letGo":
      if (await isNews()) return undefined;
      if (isLeftBehind(seen)) {
        const { type, reason, message } = events.outlived;
        around.recorder.event(request, type, reason, message);
      }
      return letGo(request, around, signal);
    case "withdraw":
      if (await isNews()) return undefined;
      return withdraw(step.status, seen, around, signal);
    case "write":
      await writeStatus(request, step.status, around, signal);
      return undefined;
    case "issue":
      return visitTarget(seen, around, signal, (visit) => bring(visit, seen, step.cause, around, signal));
    case "grant":
      return visitTarget(seen, around, signal, (visit) => bring(visit, seen, undefined, around, signal));
    case "retire":
      return visitTarget(seen, around, signal, (visit) => retire(visit, seen, around, signal));
    case "revoke":
      return visitTarget(seen, around, signal, (visit) => revoke(visit, seen, around, signal));
  }

  /** There is more than was known when this step was decided on: it is looked at again. */
  async function isNews(): Promise<boolean> {
    return (await tellUntold(request, around, signal)) !== request;
  }
}
