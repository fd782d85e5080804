/** The processes that we ship, several of each, of which a random one is killed again and again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@berg/kube";
import { type Keeper, startKeeper } from "../../control-plane/keeper.ts";

const main = join(import.meta.dirname, "../../../packages/cli/src/main.ts");

export interface Death {
  /** `berg controller`, `berg listener` or `berg janitor`. */
  command: string;
  /** In ms since 1970. */
  at: number;
}

export class Crowd implements AsyncDisposable {
  readonly deaths: Death[] = [];
  /** Of those that ended without being killed: the last words. */
  readonly accidents: string[] = [];
  readonly #env: Record<string, string>;
  readonly #kubeconfig: string;
  readonly #log: number;
  readonly #keeper: Keeper = startKeeper(undefined);
  readonly #running = new Map<ChildProcess, string>();
  #isEnding = false;

  /** `log`: where all of them write. */
  constructor(kubeconfig: string, env: Record<string, string>, log: string) {
    this.#kubeconfig = kubeconfig;
    this.#env = env;
    this.#log = openSync(log, "a");
  }

  async start(command: string): Promise<void> {
    const { PATH = "", HOME = "" } = process.env;
    const child = spawn(process.execPath, [main, command, "--kubeconfig", this.#kubeconfig], {
      env: { PATH, HOME, HEALTH_PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "warn", ...this.#env },
      stdio: ["ignore", this.#log, this.#log],
    });
    this.#running.set(child, command);
    child.once("close", (code) => {
      if (child.pid !== undefined) this.#keeper.remove(child.pid);
      if (!this.#running.delete(child) || this.#isEnding) return;
      this.accidents.push(`berg ${command} ended by itself with ${code}`);
    });
    if (child.pid !== undefined) await this.#keeper.add(child.pid);
  }

  /** Kills a random one and starts another in its place, until it is told to stop. */
  async killAtRandom(random: Random, everyMs: { from: number; to: number }, signal: AbortSignal): Promise<void> {
    const between = () => everyMs.from + random() * (everyMs.to - everyMs.from);
    const wait = () =>
      delay(between(), undefined, { signal })
        .then(() => true)
        .catch(() => false);
    while (await wait()) {
      const [child, command] = [...this.#running][Math.floor(random() * this.#running.size)] ?? [];
      if (!child || command === undefined) continue;
      this.#running.delete(child);
      this.deaths.push({ command, at: Date.now() });
      child.kill("SIGKILL");
      await this.start(command);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    const children = [...this.#running.keys()];
    await Promise.all(
      children.map(async (child) => {
        const closed = once(child, "close");
        child.kill("SIGKILL");
        await closed;
      }),
    );
    await this.#keeper.close();
    closeSync(this.#log);
  }
}
