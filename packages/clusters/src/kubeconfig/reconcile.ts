/**
 * One look at one KubeconfigRequest: gather → decide → do, until there is nothing left to do. A settled one costs no
 * request at all.
 */
import type { ObjectKey } from "@berg/apimachinery";
import { addFinalizer, type Result } from "@berg/kube";
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

export async function reconcile(
  key: ObjectKey,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Result | undefined> {
  let confirmed: Confirmed | undefined;
  for (let round = 0; round < mostRounds; round++) {
    const seen = await gather(key, confirmed, around, signal);
    if (!seen) return undefined;
    const step = decide(seen);
    if (step.do === "wait") return waitUntil(step.until, seen);
    if (step.do === "confirm") {
      confirmed = await confirm(seen, around, signal);
      continue;
    }
    const rest = await doStep(step, seen, around, signal);
    if (rest) return rest;
  }
  throw new Error(`it did not come to rest in ${mostRounds} rounds`);
}

function waitUntil(until: number | undefined, { now }: Seen): Result | undefined {
  return until === undefined ? undefined : { requeueAfterMs: Math.max(0, until - now) };
}

type Doable = Exclude<Step, { do: "wait" | "confirm" }>;

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
    case "endRotation":
      await endRotation(request, around, signal);
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
