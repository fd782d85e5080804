/**
 * What the engine has of our pods, kept true by its events, by asking after our own work, and now and then by asking
 * for everything. Also knows whether the engine can be reached at all.
 */
import { isDeepStrictEqual } from "node:util";
import { type Clock, errorText, type Logger, sleep } from "@berg/kube";
import type { Container, Engine, EngineInfo, Labels } from "@berg/local-engine";
import { nodeLabel, readLabels } from "../containers/labels.ts";
import { nothingSeen, type SeenContainer, type SeenPod, seenOf } from "./seen.ts";
import { ToldOf } from "./told-of.ts";

export interface EngineViewOptions {
  engine: Engine;
  node: string;
  clock: Clock;
  log: Logger;
  /** What a container left behind; asked once, when it has ended. */
  messageOf(container: Container): Promise<string | undefined>;
  /** Something of this pod may have changed. */
  onChange(uid: string): void;
  /** The engine went, or came back. */
  onReach(): void;
}

export type Reach = { is: "there"; info: EngineInfo } | { is: "gone"; why: string };

/** As a net below the events: an engine that was busy may have kept one to itself. */
const relistMs = 30_000;
const firstRetryMs = 500;
const longestRetryMs = 10_000;

export class EngineView {
  readonly #options: EngineViewOptions;
  readonly #labels: Labels;
  /** By engine ID. */
  readonly #seen = new Map<string, SeenContainer>();
  readonly #imageNames = new Map<string, string>();
  /** What the engine is being asked, and what it will be asked then. */
  readonly #asking = new Map<string, Promise<void>>();
  readonly #toAsk = new Map<string, Promise<void>>();
  readonly #told: ToldOf;
  #reach: Reach = { is: "gone", why: "it was not asked yet" };

  constructor(options: EngineViewOptions) {
    this.#options = options;
    this.#told = new ToldOf(options.clock, (id) => void this.refresh(id).catch(() => {}));
    this.#labels = { [nodeLabel]: options.node };
  }

  get reach(): Reach {
    return this.#reach;
  }

  pod(uid: string): SeenPod {
    const all = [...this.#seen.values()].filter(({ identity }) => identity.uid === uid);
    if (all.length === 0) return nothingSeen;
    return {
      pauses: all.filter(({ identity }) => identity.role === "pause"),
      containers: all.filter(({ identity }) => identity.role === "container"),
    };
  }

  /** Of every pod that the engine has something of. */
  get uids(): Set<string> {
    return new Set([...this.#seen.values()].map(({ identity }) => identity.uid));
  }

  /** Asks the engine about one container, after something was done with it. */
  refresh(id: string): Promise<void> {
    // One after the other: the answer to an older question must not overwrite a newer one. A start alone is three events:
    // whoever comes while a question waits for its turn is content with that one.
    const waiting = this.#toAsk.get(id);
    if (waiting !== undefined) return waiting;
    const before = this.#asking.get(id);
    if (before === undefined) return this.#ask(id);
    const next = before.catch(() => {}).then(() => this.#ask(id));
    this.#toAsk.set(id, next);
    return next;
  }

  /** Asks for everything, once. Throws where the engine does not answer. */
  async relist(signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    const info = await engine.info(signal);
    const there = await engine.listContainers(this.#labels, signal);
    const ids = new Set(there.map(({ id }) => id));
    await Promise.all([...ids, ...this.#seen.keys()].map((id) => this.refresh(id)));
    this.#setReach({ is: "there", info });
  }

  /** Follows the engine until aborted; when it goes, waits for its return. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#follow(signal, () => {
          failures = 0;
        });
        throw new Error("it ended the stream of its events");
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        await this.#lost(error, signal);
        log.debug({ error: errorText(error), failures }, "the engine's events ended");
        const delay = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
        await sleep(clock, delay, signal).catch(() => {});
      }
    }
  }

  async #follow(signal: AbortSignal, onGood: () => void): Promise<void> {
    const { engine, clock } = this.#options;
    using stop = new DisposableStack();
    const round = new AbortController();
    const either = AbortSignal.any([signal, round.signal]);
    stop.defer(() => round.abort());
    stop.defer(() => this.#told.clear());
    // Opened before the list: what happens in between is in one of them.
    const events = engine.events(this.#labels, either);
    const reading = (async () => {
      for await (const { containerId } of events) this.#told.hear(containerId);
    })();
    const listing = (async () => {
      for (;;) {
        await this.relist(either);
        onGood();
        await sleep(clock, relistMs, either);
      }
    })();
    await Promise.race([reading, listing]).finally(() => {
      round.abort();
      reading.catch(() => {});
      listing.catch(() => {});
    });
  }

  /** A stream may end while the engine is well. */
  async #lost(error: unknown, signal: AbortSignal): Promise<void> {
    try {
      const info = await this.#options.engine.info(signal);
      this.#setReach({ is: "there", info });
    } catch (why) {
      if (signal.aborted) return;
      this.#setReach({ is: "gone", why: errorText(why ?? error) });
    }
  }

  #setReach(reach: Reach): void {
    const changed = reach.is !== this.#reach.is;
    this.#reach = reach;
    if (!changed) return;
    const { log } = this.#options;
    if (reach.is === "gone") log.warn({ why: reach.why }, "the container engine cannot be reached");
    else log.info({ engine: reach.info.name, version: reach.info.version }, "the container engine answers");
    this.#options.onReach();
  }

  #ask(id: string): Promise<void> {
    this.#toAsk.delete(id);
    this.#told.asked(id);
    const asking = this.#refreshNow(id).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  async #refreshNow(id: string): Promise<void> {
    const { engine, onChange, messageOf } = this.#options;
    const before = this.#seen.get(id);
    const container = await engine.inspectContainer(id);
    const identity = container && readLabels(container.labels);
    if (!container || !identity || identity.node !== this.#options.node) {
      this.#seen.delete(id);
      if (before) onChange(before.identity.uid);
      return;
    }
    const { status } = container.state;
    const hasEnded = status === "exited" || status === "dead";
    const isKnown = before?.status === status;
    const message = hasEnded && !isKnown ? await messageOf(container) : before?.message;
    const seen = seenOf(container, identity, await this.#imageName(container.imageId), message);
    this.#seen.set(id, seen);
    if (!before || !isDeepStrictEqual(before, seen)) onChange(identity.uid);
  }

  /** `docker.io/library/nginx@sha256:…` of one from a registry, and its ID of one that was made here. */
  async #imageName(id: string): Promise<string> {
    let name = this.#imageNames.get(id);
    if (name === undefined) {
      const image = await this.#options.engine.inspectImage(id).catch(() => undefined);
      name = image?.digests[0] ?? id;
      this.#imageNames.set(id, name);
    }
    return name;
  }
}
