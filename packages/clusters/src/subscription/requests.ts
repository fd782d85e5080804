/** The SubscriptionRequests with our own latest writes, found by the account that they have, and who uses an account. */
import { keyOf, type ObjectKey } from "@berg/apimachinery";
import { type Clock, findCondition, type Informer, OwnWrites } from "@berg/kube";
import type { SubscriptionRequest } from "@berg/resources";
import type { Shoot } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { type Account, accountsOf, poolSelector } from "./pool/account.ts";
import { mayTry } from "./pool/queue.ts";
import type { Rule } from "./pool/rules.ts";
import { parseSelector } from "./pool/selector.ts";
import { type Wanted, wantedOf } from "./pool/wanted.ts";
import type { Request } from "./status.ts";
import { conditions, reasons } from "./vocabulary.ts";

const byUid = "uid";
const byAccount = "account";
const bySetAside = "set-aside";
const byType = "type-waiting";
const byPool = "pool-exhausted";
const onAccount = "account";

export class Requests extends OwnWrites<SubscriptionRequest> {
  readonly #informer: Informer<SubscriptionRequest>;
  readonly #shoots: Informer<Shoot>;

  constructor(informer: Informer<SubscriptionRequest>, shoots: Informer<Shoot>, rules: readonly Rule[], clock: Clock) {
    super(informer, clock);
    this.#informer = informer;
    this.#shoots = shoots;
    this.ensureIndex(byUid, ({ metadata }) => [metadata.uid]);
    this.ensureIndex(byAccount, ({ status }) => (status?.binding ? [status.binding.uid, status.binding.name] : []));
    this.ensureIndex(bySetAside, ({ status }) =>
      status?.binding && status.boundAt === undefined ? [status.binding.uid] : [],
    );
    this.ensureIndex(byType, ({ status }) =>
      status?.hyperscalerType !== undefined && !status.binding ? [status.hyperscalerType] : [],
    );
    this.ensureIndex(byPool, ({ spec, status }) => {
      const wanted = status?.phase === "Exhausted" ? wantedOf(spec, rules) : undefined;
      return wanted && !("problem" in wanted) ? [poolSelector(wanted)] : [];
    });
    shoots.ensureIndex(onAccount, accountsOf);
  }

  /** Whether our own latest write has come back, and with it everything that anybody wrote before it. */
  hasSeenAllBefore({ metadata }: Request): boolean {
    return this.#informer.get(keyOf({ metadata }))?.metadata.resourceVersion === metadata.resourceVersion;
  }

  has(uid: string): boolean {
    return this.byIndex(byUid, uid).length > 0;
  }

  /** Those that have this account, or have set it aside, this one apart. */
  others({ metadata: { uid } }: Request, account: string): Request[] {
    return this.byIndex(byAccount, account).filter(
      ({ metadata, status }) => metadata.uid !== uid && status?.binding?.uid === account,
    );
  }

  /** By the UID or the name of an account. */
  having(account: string): Request[] {
    return this.byIndex(byAccount, account);
  }

  /** Those that wait to be given this account. */
  settingAside(account: string): Request[] {
    return this.byIndex(bySetAside, account);
  }

  waitingFor(hyperscalerType: string): ObjectKey[] {
    return this.byIndex(byType, hyperscalerType).map(keyOf);
  }

  /** Whether there is an account for this request, too, after all that have waited for longer. */
  mayTry(request: Request, wanted: Wanted, free: number): boolean {
    const { tenant } = wanted;
    if (tenant === undefined) return true;
    const waiting = this.byIndex(byPool, poolSelector(wanted)).flatMap(({ metadata, spec }) => {
      const selector = parseSelector(spec.subscriptionSelector);
      return "problem" in selector || selector.tenant === undefined ? [] : [{ ...metadata, tenant: selector.tenant }];
    });
    return mayTry({ ...request.metadata, tenant }, waiting, free);
  }

  shootsOn(account: string): Shoot[] {
    return this.#shoots.byIndex(onAccount, account);
  }

  /** The Shoot of the Cluster that this request was made for, among these. */
  ownShoot(request: Request, shoots: readonly Shoot[]): Shoot | undefined {
    const owner = clusterOf(request);
    return owner === undefined ? undefined : shoots.find((shoot) => ownerOf(shoot) === owner);
  }

  /** Clusters that run on it, and requests that will bring one: a burst of requests would else all get the same. */
  usersOf({ metadata: { name, uid } }: Account): number {
    const shoots = this.shootsOn(name);
    const running = new Set(shoots.map(ownerOf));
    const toCome = this.byIndex(byAccount, uid).filter((request) => {
      const cluster = clusterOf(request);
      return !request.metadata.deletionTimestamp && (cluster === undefined || !running.has(cluster));
    });
    return shoots.length + toCome.length;
  }
}

/**
 * Whether it has said that it will give its account back: what is set aside after that waits for what comes of it. Also
 * where Gardener stands in the way since, for the account may be marked already.
 */
export function isGivingBack({ metadata, status }: Request): boolean {
  const released = findCondition(status?.conditions, conditions.released);
  return (
    metadata.deletionTimestamp !== undefined && released !== undefined && released.reason !== reasons.shootStillThere
  );
}

function clusterOf({ metadata }: Request): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === "Cluster")?.uid;
}

function ownerOf({ metadata }: Shoot): string | undefined {
  return metadata.annotations?.[annotations.clusterUid];
}
