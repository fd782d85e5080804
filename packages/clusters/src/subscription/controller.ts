/**
 * Finds accounts for SubscriptionRequests, and gives them back. Start reading at `look`: what a request wants → bind.ts,
 * release/ → pool/, which is pure but for garden-accounts.ts and obtain.ts.
 */
import { randomUUID } from "node:crypto";
import { isConflict, keyOf, type ObjectKey } from "@berg/apimachinery";
import { addFinalizer, type Clock, type Manager, type Metrics, type Result, watchMapped, watchSelf } from "@berg/kube";
import { SubscriptionRequests } from "@berg/resources";
import { copyTrouble, type Garden, watchFilled } from "../gardener/garden.ts";
import { gardenTrouble } from "../gardener/trouble.ts";
import { Turns } from "../turns.ts";
import { finalizers } from "../vocabulary.ts";
import { bind, keep } from "./bind.ts";
import { subscriptionMetrics } from "./metrics.ts";
import { accountsOf, byType, typesOf } from "./pool/account.ts";
import { GardenAccounts, GardenFailed } from "./pool/garden-accounts.ts";
import { givenTo, type Wanted, wantedOf } from "./pool/wanted.ts";
import { addLeftAccountsController } from "./release/left.ts";
import { release } from "./release/release.ts";
import { Requests } from "./requests.ts";
import type { Request } from "./status.ts";
import * as statuses from "./status.ts";
import { Troubles } from "./troubles.ts";
import { nowOf, type SubscriptionSettings, type Work, write } from "./work.ts";

export interface SubscriptionSurroundings {
  garden: Garden;
  settings: SubscriptionSettings;
  clock: Clock;
  metrics: Pick<Metrics, "registry" | "isStandby">;
}

/** Where only a change at Gardener helps, which nothing tells of. */
const refusedMs = 300_000;

export function addSubscriptionController(
  manager: Manager,
  { garden, settings, clock, metrics }: SubscriptionSurroundings,
): void {
  const { client, recorder } = manager;
  const { bindings, shoots } = garden;
  const informer = manager.informer(SubscriptionRequests);
  const requests = new Requests(informer, shoots, settings.rules, clock);
  const accounts = new GardenAccounts(garden, clock);
  // At once, though it may rest after a failure: a whole line waits behind it.
  const turns = new Turns((key) => controller.queue.add(key, { priority: 1 }));
  const work: Work = {
    client,
    recorder,
    garden,
    accounts,
    requests,
    turns,
    settings,
    clock,
    process: randomUUID(),
  };
  const troubles = new Troubles(clock);
  bindings.ensureIndex(byType, typesOf);
  subscriptionMetrics(metrics, bindings, informer);

  const controller = manager.addController({
    name: "subscriptions",
    watches: [
      watchSelf(informer),
      watchMapped(informer, ({ status }) => keysOf(status?.binding ? requests.settingAside(status.binding.uid) : [])),
      watchMapped(bindings, (account) => [
        ...keysOf(requests.having(account.metadata.uid)),
        ...typesOf(account).flatMap((type) => requests.waitingFor(type)),
      ]),
      watchMapped(shoots, (shoot) =>
        keysOf(
          accountsOf(shoot)
            .flatMap((name) => requests.having(name))
            .filter(isLeaving),
        ),
      ),
      watchFilled([bindings, shoots], () => keysOf(informer.list())),
    ],
    async reconcile(key, { signal }) {
      try {
        return await look(key, signal);
      } finally {
        turns.leave(key);
      }
    },
  });

  addLeftAccountsController(manager, work, informer);

  async function look(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const found = requests.get(key);
    if (!found || (isLeaving(found) && !isHeld(found))) {
      troubles.forget(key);
      return undefined;
    }
    const request = isLeaving(found) ? found : await hold(found, signal);
    const wanted = wantedBy(request);
    if ("problem" in wanted) {
      if (isLeaving(request)) await release(work, request, undefined, signal);
      else await write(work, request, statuses.invalid(request, wanted.problem, nowOf(work)), signal);
      return undefined;
    }
    try {
      return await lookAtPool(request, wanted, signal);
    } catch (error) {
      if (!(error instanceof GardenFailed) || signal.aborted) throw error;
      return tell(request, wanted, error, signal);
    }
  }

  /** What has an account keeps to what it was given, whatever the rules have become since. */
  function wantedBy(request: Request): Wanted | { problem: string } {
    const { spec, status } = request;
    const isSettled = status?.boundAt !== undefined || (isLeaving(request) && status?.binding !== undefined);
    return (isSettled && givenTo(spec, status)) || wantedOf(spec, settings.rules);
  }

  async function hold(request: Request, signal: AbortSignal): Promise<Request> {
    const held = await addFinalizer(client, SubscriptionRequests, request, finalizers.subscription, { signal });
    if (held !== request) requests.wrote(held);
    return held;
  }

  async function lookAtPool(request: Request, wanted: Wanted, signal: AbortSignal): Promise<Result | undefined> {
    const { binding, boundAt } = request.status ?? {};
    const trouble = copyTrouble(bindings, shoots);
    if (trouble) {
      await write(work, request, statuses.inTrouble(request, wanted, trouble, nowOf(work)), signal);
      return undefined;
    }
    if (isLeaving(request)) {
      await release(work, request, wanted, signal);
      return undefined;
    }
    if (binding && boundAt !== undefined) return keep(work, request, binding, wanted, signal);
    return bind(work, request, wanted, signal);
  }

  async function tell(
    request: Request,
    wanted: Wanted,
    failed: GardenFailed,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    if (isConflict(failed.cause)) throw failed.cause;
    const { reason } = gardenTrouble(failed.cause);
    const trouble = gardenTrouble(failed.cause, troubles.lastedMs(request, reason));
    await write(work, request, statuses.inTrouble(request, wanted, trouble, nowOf(work)), signal);
    // Again, ever more rarely.
    if (trouble.again) throw failed;
    return { requeueAfterMs: refusedMs };
  }
}

function isHeld({ metadata }: Request): boolean {
  return metadata.finalizers?.includes(finalizers.subscription) ?? false;
}

function isLeaving({ metadata }: Request): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function keysOf(requests: readonly Request[]): ObjectKey[] {
  return requests.map(keyOf);
}
