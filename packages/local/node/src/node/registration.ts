/** Keeps the Node and its lease: there, true, and renewed, so that the control plane knows that we live. */
import { isAlreadyExists, isNotFound, jsonEqual } from "@berg/apimachinery";
import { type Client, type Clock, errorText, Leases, type Logger, type Node, Nodes, sleep } from "@berg/kube";
import type { EngineInfo } from "@berg/local-engine";
import type { Reach } from "../pods/engine-view.ts";
import { heartbeatMs, leaseNamespace, makeLease } from "../simulated/node-objects.ts";
import { type Machine, nodeConditions, nodeLabels, nodeStatus } from "./node-object.ts";

export interface RegistrationOptions {
  client: Client;
  name: string;
  machine: Machine;
  clock: Clock;
  log: Logger;
  /** How the engine is. */
  reach(): Reach;
  /** What the disk lacks; undefined where it has room. `wasShort`: whether it lacked something the last time. */
  shortage(wasShort: boolean): Promise<string | undefined>;
}

/** How often the status is written without a change; kubelet's own. */
const statusMs = 300_000;
const retryMs = 1_000;

export class Registration {
  readonly #options: RegistrationOptions;
  #wake: (() => void) | undefined;
  #info: EngineInfo;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #shortage: string | undefined;

  constructor(options: RegistrationOptions, info: EngineInfo) {
    this.#options = options;
    this.#info = info;
  }

  /** The engine went, or came back. */
  changed(): void {
    this.#wake?.();
  }

  /** Makes the Node, or takes over the one of an earlier run. */
  async register(signal: AbortSignal): Promise<void> {
    const { client, name, machine } = this.#options;
    await this.#lookAtDisk();
    const labels = nodeLabels(name, this.#info);
    const node = { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: {} };
    const status = { ...nodeStatus(name, machine, this.#info), conditions: this.#conditions(undefined) };
    try {
      await client.create(Nodes, { ...node, status }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await client.patch(Nodes, "", name, { type: "merge", body: { metadata: { labels } } }, { signal });
    }
    await this.#beat(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (let delay = heartbeatMs; !signal.aborted; ) {
      await this.#sleep(clock, delay, signal);
      if (signal.aborted) return;
      try {
        await this.#beat(signal);
        delay = heartbeatMs;
      } catch (error) {
        delay = retryMs;
        if (!signal.aborted) log.warn({ error: errorText(error) }, "the node's heartbeat could not be written");
      }
    }
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { client, name, clock, reach } = this.#options;
    await this.#lookAtDisk();
    const found = reach();
    if (found.is === "there") this.#info = found.info;
    const node = await client.get(Nodes, "", name, { signal }).catch((error) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    // Somebody deleted it; we are still here.
    if (!node) return this.register(signal);
    await this.#writeStatus(node, signal);
    const lease = makeLease(node, clock.now());
    try {
      const body = { metadata: { ownerReferences: lease.metadata.ownerReferences }, spec: lease.spec };
      await client.patch(Leases, leaseNamespace, name, { type: "merge", body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(Leases, lease, { signal });
    }
  }

  async #lookAtDisk(): Promise<void> {
    const { shortage, log } = this.#options;
    const before = this.#shortage;
    this.#shortage = await shortage(before !== undefined);
    if (this.#shortage !== undefined && before === undefined)
      log.warn({ shortage: this.#shortage }, "the disk runs short: no new pods start until there is room");
    if (this.#shortage === undefined && before !== undefined) log.warn({}, "there is room on the disk again");
  }

  async #writeStatus(node: Node, signal: AbortSignal): Promise<void> {
    const { client, name, clock, machine } = this.#options;
    const status = { ...nodeStatus(name, machine, this.#info), conditions: this.#conditions(node) };
    const same = jsonEqual(comparable(status), comparable(pick(node.status, status)));
    if (same && clock.monotonic() - this.#writtenAt < statusMs) return;
    await client.patch(Nodes, "", name, { type: "strategic", body: { status } }, { subresource: "status", signal });
    this.#writtenAt = clock.monotonic();
  }

  #conditions(node: Node | undefined) {
    const { reach, clock } = this.#options;
    const health = { reach: reach(), shortage: this.#shortage, now: clock.now() };
    return nodeConditions(node?.status?.conditions, health);
  }

  /** Until it is time, or something changed. */
  async #sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(clock, delayMs, AbortSignal.any([signal, woken.signal])).catch(() => {});
    this.#wake = undefined;
  }
}

type Status = NonNullable<Node["status"]>;

/** Without what moves by itself. */
function comparable({ conditions = [], ...status }: Status): object {
  const ours = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];
  return {
    ...status,
    conditions: conditions
      .filter(({ type }) => ours.includes(type))
      .map(({ type, status, reason, message }) => ({ type, status, reason, message })),
  };
}

function pick(from: Status | undefined, like: Status): Status {
  return Object.fromEntries(Object.keys(like).map((key) => [key, from?.[key as keyof Status]]));
}
