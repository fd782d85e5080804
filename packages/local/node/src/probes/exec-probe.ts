/** A command in the container: it is well where the command ends with 0. */
import { durationFromMs, formatDuration } from "@berg/apimachinery";
import { type Clock, errorText } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { longestOutput, type ProbeOutcome } from "./outcome.ts";

export interface CommandResult {
  exitCode: number;
  output: string;
}

export class CommandTimeout extends Error {
  constructor(command: readonly string[], timeoutMs: number) {
    super(`command timed out: "${command.join(" ")}" timed out after ${formatDuration(durationFromMs(timeoutMs))}`);
    this.name = "CommandTimeout";
  }
}

/** Waits no longer than it may. The engine cannot end a command: one that hangs goes on, and `onLeft` tells when it ends. */
export async function runCommand(
  engine: Engine,
  containerId: string,
  command: readonly string[],
  options: {
    clock: Clock;
    timeoutMs: number | undefined;
    signal: AbortSignal;
    onLeft?: (ended: Promise<void>) => void;
  },
): Promise<CommandResult> {
  const { clock, timeoutMs, signal } = options;
  const session = await engine.exec(
    containerId,
    { command, stdin: false, stdout: true, stderr: true, tty: false },
    signal,
  );
  const chunks: Uint8Array[] = [];
  let size = 0;
  const finished = (async () => {
    for await (const { bytes } of session.output) {
      if (size < longestOutput) chunks.push(bytes);
      size += bytes.length;
    }
    return session.exitCode();
  })();
  // Whoever does not wait for it any more must not be told by a crash.
  finished.catch(() => {});
  const late = Promise.withResolvers<never>();
  const timer =
    timeoutMs === undefined
      ? undefined
      : clock.setTimer(timeoutMs, () => late.reject(new CommandTimeout(command, timeoutMs)));
  const onAbort = () => late.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  late.promise.catch(() => {});
  try {
    const exitCode = await Promise.race([finished, late.promise]);
    return { exitCode, output: Buffer.concat(chunks).subarray(0, longestOutput).toString() };
  } catch (error) {
    if (error instanceof CommandTimeout) options.onLeft?.(finished.then(noop, noop));
    else session.close();
    throw error;
  } finally {
    timer?.cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

const noop = () => {};

/** How many commands of one probe may hang at once: each costs the container a process. */
const mostLeft = 3;

/** Asks one container, again and again. */
export class ExecProbe {
  #left = 0;
  readonly #engine: Engine;
  readonly #clock: Clock;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async ask(
    containerId: string,
    command: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<ProbeOutcome> {
    if (this.#left >= mostLeft) return { result: "failure", output: new CommandTimeout(command, timeoutMs).message };
    const onLeft = (ended: Promise<void>) => {
      this.#left++;
      void ended.then(() => this.#left--);
    };
    try {
      const limits = { clock: this.#clock, timeoutMs, signal, onLeft };
      const { exitCode, output } = await runCommand(this.#engine, containerId, command, limits);
      return exitCode === 0 ? { result: "success" } : { result: "failure", output };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CommandTimeout) return { result: "failure", output: error.message };
      return { result: "error", message: errorText(error) };
    }
  }
}
