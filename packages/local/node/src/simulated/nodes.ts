import { isAlreadyExists, isNotFound } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  Controller,
  type Informer,
  Leases,
  type Logger,
  type Node,
  Nodes,
  watchSelf,
} from "@berg/kube";
import { healthConditions, heartbeatMs, leaseNamespace, makeLease, makeNode } from "./node-objects.ts";

interface Member {
  readonly name: string;
  readonly hostIP: string;
  isAlive: boolean;
  /** In monotonic time. */
  renewedAt: number;
}

export interface SimulatedNodesOptions {
  client: Client;
  informer: Informer<Node>;
  count: number;
  clock: Clock;
  log: Logger;
}

/** The nodes of a simulator: registered, kept alive by their leases, killed, revived, removed. */
export class SimulatedNodes {
  readonly controller: Controller;
  readonly #client: Client;
  readonly #informer: Informer<Node>;
  readonly #clock: Clock;
  readonly #members = new Map<string, Member>();
  #turn = 0;

  constructor({ client, informer, count, clock, log }: SimulatedNodesOptions) {
    this.#client = client;
    this.#informer = informer;
    this.#clock = clock;
    for (let number = 1; number <= count; number++) {
      const name = `simulated-${number}`;
      const hostIP = `10.0.${number >> 8}.${number & 255}`;
      this.#members.set(name, { name, hostIP, isAlive: true, renewedAt: Number.NEGATIVE_INFINITY });
    }
    this.controller = new Controller(
      {
        name: "simulated-nodes",
        watches: [watchSelf(informer)],
        reconcile: (name, { signal }) => this.#reconcile(name, signal),
      },
      { clock, log },
    );
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  get(name: string): Readonly<Member> | undefined {
    return this.#members.get(name);
  }

  /** The next in turn of those that are alive and not cordoned. */
  choose(): { node: string } | { message: string } {
    const members = [...this.#members.values()];
    const able = members.filter(({ name, isAlive }) => isAlive && !this.#informer.get(name)?.spec?.unschedulable);
    const node = able[this.#turn++ % able.length];
    if (node) return { node: node.name };
    if (members.length === 0) return { message: "no nodes available to schedule pods" };
    const count = members.length;
    return { message: `0/${count} nodes are available: ${count} node(s) were unschedulable.` };
  }

  /** Before the controller runs: two at once would be in each other's way. */
  async register(signal: AbortSignal | undefined): Promise<void> {
    await Promise.all(this.names.map((name) => this.#reconcile(name, signal)));
    for (const name of this.names) this.controller.queue.add(name);
  }

  setAlive(name: string, isAlive: boolean): void {
    const member = this.#members.get(name);
    if (!member) throw new Error(`there is no simulated node "${name}" (${this.names.join(", ") || "none"})`);
    member.isAlive = isAlive;
    this.controller.queue.add(name);
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    this.#members.delete(name);
    await ignoring(isNotFound, this.#client.delete(Nodes, "", name, { signal }));
    await ignoring(isNotFound, this.#client.delete(Leases, leaseNamespace, name, { signal }));
  }

  async #reconcile(name: string, signal: AbortSignal | undefined) {
    const member = this.#members.get(name);
    if (!member) return undefined;
    const node = this.#informer.get(name) ?? (await this.#create(member, signal));
    const conditions = healthConditions(node, member.isAlive, this.#clock.now());
    if (conditions) {
      const patch = { type: "strategic", body: { status: { conditions } } } as const;
      await this.#client.patch(Nodes, "", name, patch, { subresource: "status", signal });
    }
    if (!member.isAlive) return undefined;
    const dueIn = member.renewedAt + heartbeatMs - this.#clock.monotonic();
    if (dueIn > 0) return { requeueAfterMs: dueIn };
    await this.#renew(node, signal);
    member.renewedAt = this.#clock.monotonic();
    return { requeueAfterMs: heartbeatMs };
  }

  async #create({ name, hostIP }: Member, signal: AbortSignal | undefined) {
    try {
      return await this.#client.create(Nodes, makeNode(name, hostIP, this.#clock.now()), { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#client.get(Nodes, "", name, { signal });
    }
  }

  async #renew(node: { metadata: { name: string; uid: string } }, signal: AbortSignal | undefined): Promise<void> {
    const lease = makeLease(node, this.#clock.now());
    const body = { metadata: { ownerReferences: lease.metadata.ownerReferences }, spec: lease.spec };
    try {
      await this.#client.patch(Leases, leaseNamespace, node.metadata.name, { type: "merge", body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#client.create(Leases, lease, { signal });
    }
  }
}

/** Waits for a call whose refusal, if it is of this sort, means that nothing is left to do. */
export async function ignoring(sort: (error: unknown) => boolean, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!sort(error)) throw error;
  }
}
