/**
 * Limits on the requests that are answered at the same time, and the long ones known, so that they can be ended.
 *
 * A request counts while it is worked on, not while its body is still on the way: a client that sends half a body would
 * hold its slot until the timeout. Bodies have limits of their own, in number and bytes. Every user has a share, so that
 * one account cannot use up what all others need, and system components do not compete with users at all.
 */
import { mastersGroup, type User } from "../authentication/user.ts";
import { refusal } from "../errors/refusals.ts";
import { readFlag } from "../requests/address.ts";
import type { RequestInfo } from "../requests/request-info.ts";
import type { Exchange } from "./exchange.ts";
import type { limits } from "./limits.ts";

type Limits = Record<keyof typeof limits, number>;

export class InFlight {
  readonly #limits: Limits;
  readonly #ofUsers: Usage;
  readonly #ofSystem: Usage;
  readonly #byUser = new Map<string, Usage>();
  readonly #long = new Set<Exchange>();
  #isEnding = false;

  constructor(limits: Limits) {
    this.#limits = limits;
    const { requests, bodies, bodiesBytes: bytes } = limits;
    this.#ofUsers = new Usage({ requests, bodies, bytes });
    this.#ofSystem = new Usage({ requests, bodies, bytes });
  }

  /** Throws a refusal where there are too many. `user` is the authenticated one, whoever they impersonate. */
  enter(exchange: Exchange, info: RequestInfo, user: User): Disposable {
    if (isLong(exchange, info)) return this.#enterLong(exchange);
    const slot = new Slot(isSystem(user) ? [this.#ofSystem] : [this.#usageOf(user), this.#ofUsers]);
    exchange.readBodyIn(slot);
    return {
      [Symbol.dispose]: () => {
        slot[Symbol.dispose]();
        if (this.#byUser.get(user.name)?.isNone) this.#byUser.delete(user.name);
      },
    };
  }

  /** Ends watches and the like, now and from now on. */
  end(): void {
    this.#isEnding = true;
    for (const exchange of this.#long) exchange.abort();
  }

  #usageOf({ name }: User): Usage {
    const { requestsPerUser: requests, bodiesPerUser: bodies, bodiesBytesPerUser: bytes } = this.#limits;
    const usage = this.#byUser.get(name) ?? new Usage({ requests, bodies, bytes });
    this.#byUser.set(name, usage);
    return usage;
  }

  #enterLong(exchange: Exchange): Disposable {
    this.#long.add(exchange);
    if (this.#isEnding) exchange.abort();
    return {
      [Symbol.dispose]: () => {
        this.#long.delete(exchange);
      },
    };
  }
}

/** The share of one request in the limits of its user and of all users. */
export class Slot implements Disposable {
  readonly #usages: readonly Usage[];
  readonly #taken: Amounts = { requests: 0, bodies: 0, bytes: 0 };

  constructor(usages: readonly Usage[]) {
    this.#usages = usages;
    this.#take("requests", 1);
  }

  /** Gives the slot back while the body is read. `read` reports bytes as they come; they count until the request ends. */
  async readBody(read: (onBytes: (bytes: number) => void) => Promise<Buffer>): Promise<Buffer> {
    this.#take("bodies", 1);
    this.#take("requests", -1);
    try {
      return await read((bytes) => this.#take("bytes", bytes));
    } finally {
      this.#take("bodies", -1);
      this.#take("requests", 1);
    }
  }

  [Symbol.dispose](): void {
    for (const name of ["requests", "bodies", "bytes"] as const) this.#take(name, -this.#taken[name]);
  }

  #take(name: keyof Amounts, amount: number): void {
    if (amount > 0 && this.#usages.some((usage) => usage.isOver(name, amount)))
      throw refusal(429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 });
    for (const usage of this.#usages) usage.add(name, amount);
    this.#taken[name] += amount;
  }
}

interface Amounts {
  requests: number;
  /** That are being read. */
  bodies: number;
  /** Of bodies that are being read or worked on. */
  bytes: number;
}

class Usage {
  readonly #most: Readonly<Amounts>;
  readonly #now: Amounts = { requests: 0, bodies: 0, bytes: 0 };

  constructor(most: Readonly<Amounts>) {
    this.#most = most;
  }

  get isNone(): boolean {
    return Object.values(this.#now).every((amount) => amount === 0);
  }

  isOver(name: keyof Amounts, more: number): boolean {
    return this.#now[name] + more > this.#most[name];
  }

  add(name: keyof Amounts, amount: number): void {
    this.#now[name] += amount;
  }
}

/** The administrator, nodes, and the components of the control plane: what a cluster stops without. */
function isSystem({ name, groups }: User): boolean {
  const systemGroups = [mastersGroup, "system:nodes", "system:serviceaccounts:kube-system"];
  return systemGroups.some((group) => groups.includes(group)) || /^system:(apiserver$|kube-)/.test(name);
}

/** What goes on until the client or the server ends it. */
function isLong({ address }: Exchange, info: RequestInfo): boolean {
  if (!info.isResource) return false;
  if (info.verb === "watch" || info.subresource === "exec") return true;
  return info.subresource === "log" && readFlag(address.query, "follow");
}
