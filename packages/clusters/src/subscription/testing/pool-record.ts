/** Keeps all that ever becomes of the accounts and Shoots of one project, for the laws of the pool to be asked of it. */
import type { ResourceType, Stored } from "@berg/apimachinery";
import { type Client, Informer } from "@berg/kube";
import type { Binding } from "../../gardener/garden.ts";
import { type Shoot, Shoots } from "../../gardener/kinds.ts";
import { type Account, accountsOf } from "../pool/account.ts";
import { breachesOf, type Moment, type ShootLife } from "./pool-laws.ts";

const versionOf = ({ metadata }: Account | Stored<Shoot>) => BigInt(metadata.resourceVersion);

export class PoolRecord {
  readonly #accounts: Informer<Binding>;
  readonly #shoots: Informer<Shoot>;
  readonly #moments: Moment[] = [];
  readonly #lives = new Map<string, ShootLife>();
  readonly #ending = new AbortController();
  #runs: Promise<unknown> = Promise.resolve();

  constructor(client: Client, type: ResourceType<Binding>, namespace: string) {
    this.#accounts = new Informer({ client, type, selection: { namespace } });
    this.#shoots = new Informer({ client, type: Shoots, selection: { namespace } });
    this.#accounts.onChange((change) => {
      const { object } = change;
      this.#moments.push({
        version: versionOf(object),
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
  }

  async start(): Promise<void> {
    this.#runs = Promise.all([this.#accounts.run(this.#ending.signal), this.#shoots.run(this.#ending.signal)]);
    await Promise.all([this.#accounts.synced(), this.#shoots.synced()]);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#runs;
  }

  /** How often an account was changed. */
  get changes(): number {
    return this.#moments.filter(({ before, after }) => before && after).length;
  }

  breaches({ many = [] }: { many?: readonly string[] } = {}): string[] {
    return breachesOf({ moments: this.#moments, shoots: [...this.#lives.values()], many });
  }
}
