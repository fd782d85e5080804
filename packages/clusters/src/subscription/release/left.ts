/**
 * Gives accounts back that requests have left to a Shoot which stayed, as with a Cluster that goes and retains its Shoot:
 * when that Shoot goes as well, there may be no request any more that would.
 *
 * Nothing is announced before, as requests do: whoever takes a claim that was left writes so on the account before it is
 * given out (bind.ts). Of that write and this one, which both name the version that they saw, one is refused.
 */
import { isConflict, keyOf, makeKey, type ObjectKey } from "@berg/apimachinery";
import { type Informer, type Logger, type Manager, watchMapped } from "@berg/kube";
import type { SubscriptionRequest } from "@berg/resources";
import { copyTrouble, watchFilled } from "../../gardener/garden.ts";
import { type Account, accountsOf, claimedBy, isDirty, saysClaimLeft, tenantOf } from "../pool/account.ts";
import { GardenFailed } from "../pool/garden-accounts.ts";
import type { Work } from "../work.ts";
import { decideRelease } from "./decide.ts";

/** `informer`: of the requests. */
export function addLeftAccountsController(manager: Manager, work: Work, informer: Informer<SubscriptionRequest>): void {
  const { bindings, shoots, namespace } = work.garden;
  const left = (names: readonly string[]): ObjectKey[] =>
    names
      .flatMap((name) => bindings.get(makeKey(namespace, name)) ?? [])
      .filter(mayBeLeft)
      .map(keyOf);
  manager.addController({
    name: "leftaccounts",
    workers: 1,
    watches: [
      // Whatever comes last: the claim is left, the Shoot goes, the request does.
      watchMapped(bindings, (account) => (mayBeLeft(account) ? [keyOf(account)] : [])),
      watchMapped(shoots, (shoot) => left(accountsOf(shoot))),
      watchMapped(informer, ({ status }) => left(status?.binding ? [status.binding.name] : [])),
      watchFilled([bindings, shoots], () => bindings.list().filter(mayBeLeft).map(keyOf)),
    ],
    async reconcile(key, { signal, log }) {
      const account = bindings.get(key);
      if (!account || !mayBeLeft(account) || copyTrouble(bindings, shoots)) return undefined;
      try {
        await giveBackLeft(work, account, log, signal);
      } catch (error) {
        throw error instanceof GardenFailed && isConflict(error.cause) ? error.cause : error;
      }
      return undefined;
    },
  });
}

/** As far as a copy tells. */
function mayBeLeft(account: Account): boolean {
  return saysClaimLeft(account) && !isDirty(account);
}

async function giveBackLeft(
  { requests, accounts }: Work,
  { metadata: { name, uid } }: Account,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  // A request that has it gives it back itself. While a Shoot is there, nobody is asked for anything.
  if (requests.having(uid).length > 0 || requests.shootsOn(name).length > 0) return;
  const account = await accounts.get(name, signal);
  if (!account) return;
  const isToMark = (hasShoot: boolean) =>
    decideRelease({
      request: claimedBy(account) ?? "",
      binding: { name, uid },
      tenant: tenantOf(account),
      account,
      others: [],
      hasShoot,
      // Only a claim that was left counts here.
      isOurs: () => false,
    }).markDirty;
  if (!isToMark(false)) return;
  // The copy may be behind, and whoever cleans it wipes what runs there.
  if (!isToMark((await accounts.shootsOn(name, signal)).length > 0)) return;
  await accounts.markDirty(account, signal);
  log.info(
    { account: name },
    "an account that was left to a Shoot is given back, as the Shoot is gone: it is marked dirty",
  );
}
