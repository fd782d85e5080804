/**
 * Keeps the kernel's rules as the state asks for.
 *
 * Whoever must not go on without them waits for `apply`; whoever only noticed a change calls `changed`, and many of
 * those together cost one change. What fails is tried again, also where nobody asks. Other programs may remove our table
 * (a reload of the host's own firewall removes all tables), and then nothing is isolated: so it is renewed from time to
 * time, and put back.
 */
import { type Clock, errorText, type Logger, type Timer } from "@berg/kube";
import type { KernelTable } from "./kernel-table.ts";
import type { Rules } from "./rules.ts";

export interface RuleKeeperOptions {
  /** As they should be now. */
  rules(): Rules;
  table: Pick<KernelTable, "put" | "renew">;
  clock: Clock;
  log: Logger;
}

const settleMs = 50;
const retryMs = 5_000;
const checkMs = 10_000;

export class RuleKeeper {
  readonly #options: RuleKeeperOptions;
  #applied: Rules | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #soon: Timer | undefined;
  #check: Timer | undefined;
  #isStopped = false;

  constructor(options: RuleKeeperOptions) {
    this.#options = options;
    this.#checkLater();
  }

  /** Resolves when the rules hold that follow from the state at the time of this call, or later. */
  apply(): Promise<void> {
    if (this.#isStopped) return Promise.reject(new Error("cannot set packet rules: the node stops"));
    this.#next ??= this.#afterRunning(() => this.#applyOnce());
    return this.#next;
  }

  changed(): void {
    this.#applyIn(settleMs);
  }

  /** Resolves when nothing of it runs any more. The rules stay. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#soon?.cancel();
    this.#check?.cancel();
    await Promise.allSettled([this.#running, this.#next]);
  }

  async #afterRunning(work: () => Promise<void>): Promise<void> {
    await this.#running.catch(() => {});
    const run = work();
    this.#running = run;
    this.#next = undefined;
    return run;
  }

  async #applyOnce(): Promise<void> {
    const before = this.#applied;
    // Of rules that fail it is not known what holds.
    this.#applied = undefined;
    try {
      const rules = this.#options.rules();
      await this.#options.table.put(rules, before);
      this.#applied = rules;
    } catch (error) {
      this.#applyIn(retryMs);
      throw error;
    }
  }

  #applyIn(delayMs: number): void {
    if (this.#soon || this.#isStopped) return;
    this.#soon = this.#options.clock.setTimer(delayMs, () => {
      this.#soon = undefined;
      this.apply().catch((error) =>
        this.#options.log.error({ error: errorText(error) }, "packet rules could not be set, and are tried again"),
      );
    });
  }

  #checkLater(): void {
    if (this.#isStopped) return;
    this.#check = this.#options.clock.setTimer(checkMs, () => {
      this.#putBack()
        .catch((error) => this.#options.log.error({ error: errorText(error) }, "packet rules could not be checked"))
        .finally(() => this.#checkLater());
    });
  }

  async #putBack(): Promise<void> {
    if (this.#applied === undefined || (await this.#options.table.renew()) || this.#isStopped) return;
    this.#options.log.warn({}, "packet rules were removed by another program, and are put back");
    this.#applied = undefined;
    await this.apply();
  }
}
