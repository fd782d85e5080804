/**
 * Keeps all that ever becomes of the accounts and Shoots of one project, and of the requests for them, for the laws of the
 * pool to be asked of it.
 */
import type { ResourceType, Stored } from "@berg/apimachinery";
import { type Client, Informer, systemClock } from "@berg/kube";
import { type SubscriptionRequest, SubscriptionRequests } from "@berg/resources";
import type { Binding } from "../../gardener/garden.ts";
import { type Shoot, Shoots } from "../../gardener/kinds.ts";
import { type Account, accountsOf } from "../pool/account.ts";
import { breachesOf, type History, type Moment, type RequestLife, type ShootLife } from "./pool-laws.ts";

const versionOf = ({ metadata }: Account | Stored<Shoot>) => BigInt(metadata.resourceVersion);

interface Recorded {
  /** Of the garden. */
  client: Client;
  type: ResourceType<Binding>;
  namespace: string;
  requests: { client: Client; namespace: string };
}

export class PoolRecord {
  readonly #accounts: Informer<Binding>;
  readonly #shoots: Informer<Shoot>;
  readonly #requests: Informer<SubscriptionRequest>;
  readonly #moments: Moment[] = [];
  readonly #lives = new Map<string, ShootLife>();
  readonly #requestLives: RequestLife[] = [];
  readonly #ending = new AbortController();
  #runs: Promise<unknown> = Promise.resolve();

  constructor({ client, type, namespace, requests }: Recorded) {
    this.#accounts = new Informer({ client, type, selection: { namespace } });
    this.#shoots = new Informer({ client, type: Shoots, selection: { namespace } });
    this.#requests = new Informer({
      client: requests.client,
      type: SubscriptionRequests,
      selection: { namespace: requests.namespace },
    });
    this.#accounts.onChange((change) => {
      const { object } = change;
      this.#moments.push({
        version: versionOf(object),
        at: systemClock.monotonic(),
        name: object.metadata.name,
        before: change.type === "updated" ? change.old : change.type === "deleted" ? object : undefined,
        after: change.type === "deleted" ? undefined : object,
      });
    });
    this.#shoots.onChange(({ type, object }) => {
      const { uid } = object.metadata;
      if (type === "added")
        this.#lives.set(uid, { accounts: accountsOf(object), from: versionOf(object), until: undefined });
      const life = this.#lives.get(uid);
      if (type === "deleted" && life) life.until = versionOf(object);
    });
    const current = new Map<string, RequestLife>();
    this.#requests.onChange(({ type, object: { metadata, status } }) => {
      const life = current.get(metadata.uid);
      const account = type === "deleted" ? undefined : status?.binding?.name;
      if (life?.account === account) return;
      const at = systemClock.monotonic();
      if (life) life.until = at;
      current.delete(metadata.uid);
      if (account === undefined) return;
      const next: RequestLife = { account, from: at, until: undefined };
      current.set(metadata.uid, next);
      this.#requestLives.push(next);
    });
  }

  async start(): Promise<void> {
    const { signal } = this.#ending;
    const copies = [this.#accounts, this.#shoots, this.#requests];
    this.#runs = Promise.all(copies.map((copy) => copy.run(signal)));
    await Promise.all(copies.map((copy) => copy.synced()));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#runs;
  }

  /** How often an account was changed. */
  get changes(): number {
    return this.#moments.filter(({ before, after }) => before && after).length;
  }

  /** `limits`: of tenants that may have several accounts. */
  breaches({ limits = {} }: Partial<Pick<History, "limits">> = {}): string[] {
    const shoots = [...this.#lives.values()];
    return breachesOf({ moments: this.#moments, shoots, requests: this.#requestLives, limits });
  }
}
