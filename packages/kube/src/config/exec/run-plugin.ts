import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { Clock } from "../../clock.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { ExecConfig } from "./exec-config.ts";

export interface PluginRun {
  exec: ExecConfig;
  env: NodeJS.ProcessEnv;
  /** A person is there, and the plugin may ask them. */
  interactive: boolean;
  showStderr: (text: string) => void;
  clock: Clock;
  signal: AbortSignal;
}

const timeoutMs = 60_000;
// A person has to find the browser window, a password and a second factor.
const interactiveTimeoutMs = 5 * 60_000;
const longestAnswer = 1024 * 1024;

/** Runs a plugin to its end and resolves to what it printed; whatever happens, no process is left behind. */
export function runPlugin({ exec, env, interactive, showStderr, clock, signal }: PluginRun): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (problem: string) =>
    reject(new ConfigurationError(`${exec.what}: ${JSON.stringify(exec.command)} ${problem}`));
  const limitMs = interactive ? interactiveTimeoutMs : timeoutMs;
  const stdout: Buffer[] = [];
  let stdoutSize = 0;
  let closed = false;

  if (signal.aborted) return Promise.reject(signal.reason);
  const child = start();
  if (!child) return promise;

  // First of all, since an error that nobody listens for ends our process. Without free descriptors there are no pipes.
  child.on("error", (error: NodeJS.ErrnoException) => fail(startProblem(exec, error)));
  child.stdout?.on("data", (piece: Buffer) => {
    stdout.push(piece);
    stdoutSize += piece.length;
    if (stdoutSize > longestAnswer) fail(`printed more than ${longestAnswer} bytes`);
  });
  child.stderr?.setEncoding("utf8").on("data", showStderr);
  child.on("close", (code, killedBy) => {
    closed = true;
    if (code === 0) return resolve(Buffer.concat(stdout).toString("utf8"));
    // Its words went to showStderr. They stay out of the error, which is logged: a plugin may print anything.
    fail(`ended with ${killedBy ?? `exit code ${code}`}; see what it printed`);
  });
  const timer = clock.setTimer(limitMs, () => fail(`gave no answer within ${limitMs / 1000} s`));
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });

  return promise.finally(() => {
    timer.cancel();
    signal.removeEventListener("abort", onAbort);
    if (!closed) kill();
    child.stdout?.destroy();
    child.stderr?.destroy();
  });

  function start(): ChildProcess | undefined {
    try {
      return spawn(exec.command, exec.args, {
        env,
        stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
        // A process group of its own, so that what a wrapper script started ends with it. One that reads from the
        // terminal has to stay in ours, or it would be stopped.
        detached: !interactive,
      });
    } catch (error) {
      fail(startProblem(exec, error as NodeJS.ErrnoException));
      return undefined;
    }
  }

  function kill(): void {
    child?.kill("SIGKILL");
    if (interactive || child?.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The whole group has ended by itself.
    }
  }
}

/** By code only: Node's own text for a bad argument quotes it. */
function startProblem(exec: ExecConfig, error: NodeJS.ErrnoException): string {
  const hint = exec.installHint === undefined ? "" : `: ${stripVTControlCharacters(exec.installHint).trim()}`;
  if (error.code === "ENOENT") return `is not installed, or not in PATH${hint}`;
  if (error.code === "EACCES") return "is not an executable file";
  return `cannot be started (${error.code ?? "unknown error"})`;
}
