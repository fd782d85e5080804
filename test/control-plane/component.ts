/**
 * One process of a control plane: started until it is ready, stopped, killed, paused, started again on the same data.
 * Its output goes to a file; when it does not start, the error shows the end of it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Keeper } from "./keeper.ts";
import { freePort } from "./ports.ts";

export interface ComponentOptions {
  readonly name: string;
  readonly binary: string;
  readonly logFile: string;
  readonly keeper: Keeper;
  /** The command line, given the port to listen on. */
  flags(port: number): readonly string[];
  /** A rejection means not yet. */
  isReady(port: number, signal: AbortSignal): Promise<boolean>;
}

interface Running {
  readonly child: ChildProcess;
  /** How it ended, once it has. */
  readonly exited: Promise<string>;
}

/**
 * Four times what lives may be garbage before Go looks for it. By its own rule, as much as lives, an API server under load
 * has a fifth more to do, and answers late whenever it collects.
 */
const GOGC = "400";

const startDeadlineMs = 60_000;
const stopDeadlineMs = 5_000;
const probeMs = 2_000;
const pollMs = 50;
const portAttempts = 5;

// The shell becomes the component only after its keeper knows of it: a parent killed in between leaves nothing behind.
const whenKept = 'read -r _ <&3 && exec "$@" 3<&-';

export class StartError extends Error {
  readonly portTaken: boolean;
  constructor(name: string, why: string, log: string) {
    super(`cannot start ${name}: ${why}\n${log.trimEnd().split("\n").slice(-20).join("\n")}`);
    this.name = "StartError";
    this.portTaken = log.includes("address already in use");
  }
}

/** What a test may do to a process of the control plane. */
export interface ControlledProcess {
  /** The process, while there is one. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Resolves when it is ready. A restart uses the same port and data. */
  start(signal?: AbortSignal): Promise<void>;
  /** Ends it in its own way (SIGTERM), or by force when that takes too long. */
  stop(): Promise<void>;
  /** Ends it at once (SIGKILL), as a lost machine would. */
  kill(): Promise<void>;
  /** Freezes it: connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
}

export class Component implements ControlledProcess {
  readonly name: string;
  readonly logFile: string;
  readonly #options: ComponentOptions;
  #port: number | undefined;
  #running: Running | undefined;

  constructor(options: ComponentOptions) {
    this.name = options.name;
    this.logFile = options.logFile;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** The port it listens on: chosen by the first start, then kept. */
  get port(): number {
    if (this.#port === undefined) throw new Error(`${this.name} has no port: it was never started`);
    return this.#port;
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#port !== undefined) return this.#startOn(this.#port, signal);
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        await this.#startOn(port, signal);
        this.#port = port;
        return;
      } catch (error) {
        if (!(error instanceof StartError && error.portTaken) || attempt === portAttempts) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const deadline = new AbortController();
    this.#signal("SIGTERM");
    this.#signal("SIGCONT");
    running.child.ref();
    const late = delay(stopDeadlineMs, undefined, { signal: deadline.signal }).then(
      () => this.kill(),
      () => {},
    );
    await running.exited;
    deadline.abort();
    await late;
  }

  async kill(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#signal("SIGKILL");
    running.child.ref();
    await running.exited;
  }

  pause(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  #signal(signal: NodeJS.Signals): void {
    this.#running?.child.kill(signal);
  }

  async #startOn(port: number, signal?: AbortSignal): Promise<void> {
    if (this.#running) throw new Error(`cannot start ${this.name}: it runs already`);
    signal?.throwIfAborted();
    const logBefore = logOf(this.logFile).length;
    const { exited } = await this.#spawn(port);
    try {
      await this.#becomeReady(port, exited, signal);
    } catch (error) {
      await this.kill();
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new StartError(this.name, why, logOf(this.logFile).slice(logBefore));
    }
  }

  async #spawn(port: number): Promise<Running> {
    const { name, binary, keeper } = this.#options;
    const log = openSync(this.logFile, "a");
    // The caller's environment stays outside: etcd and Kubernetes take settings from it.
    const child = spawn("/bin/sh", ["-c", whenKept, name, binary, ...this.#options.flags(port)], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env.PATH, GOGC },
      stdio: ["ignore", log, log, "pipe"],
    });
    closeSync(log);
    const exited = new Promise<string>((resolve) => {
      child.on("error", (error) => resolve(error.message));
      child.on("exit", (code, killedBy) => resolve(killedBy ? `ended by ${killedBy}` : `ended with code ${code}`));
    }).then((how) => {
      if (child.pid !== undefined) keeper.remove(child.pid);
      this.#running = undefined;
      return how;
    });
    // A test that forgets to stop it shall end all the same; the keeper does the rest.
    child.unref();
    const running = { child, exited };
    this.#running = running;
    const gate = child.stdio[3] as Writable;
    gate.on("error", () => {});
    try {
      if (child.pid !== undefined) await keeper.add(child.pid);
      gate.end("go\n");
    } catch (error) {
      gate.destroy();
      await this.kill();
      throw error;
    }
    return running;
  }

  async #becomeReady(port: number, exited: Promise<string>, signal?: AbortSignal): Promise<void> {
    const deadline = AbortSignal.timeout(startDeadlineMs);
    const giveUp = signal ? AbortSignal.any([deadline, signal]) : deadline;
    let ended: string | undefined;
    void exited.then((how) => {
      ended = how;
    });
    while (!deadline.aborted) {
      const probe = AbortSignal.any([giveUp, AbortSignal.timeout(probeMs)]);
      const ready = await this.#options.isReady(port, probe).catch(() => false);
      if (ended !== undefined) throw new Error(`it ${ended}`);
      if (ready) return;
      await delay(pollMs, undefined, signal && { signal });
    }
    throw new Error(`it was not ready after ${startDeadlineMs / 1000} s`);
  }
}

function logOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
