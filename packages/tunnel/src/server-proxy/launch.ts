/**
 * Server proxies as processes of the host. They outlive the controller that launched them, so that streams go on while
 * it restarts; the next one finds them by what they said in their first line.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, sleep } from "@berg/kube/process";
import { isRunning } from "./process.ts";

export interface ServerProxyExit {
  /** Both null where it was launched by another process, which alone is told. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningServerProxy {
  readonly pid: number;
  /** With microseconds. */
  readonly startTime: string;
  readonly socket: string;
  /** PEM. */
  readonly certificate: string;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly exited: Promise<ServerProxyExit>;
}

export interface LaunchOptions {
  /** Its own, with mode 700; short, since the path of a socket has 107 bytes at most. */
  directory: string;
  /** Of the pair, for the logs. */
  name: string;
  /** After which it ends the pair when nobody watches. */
  unwatchedSeconds?: number;
  clock: Clock;
  signal?: AbortSignal;
}

const program = fileURLToPath(new URL("./main.ts", import.meta.url));
const firstLineMs = 60_000;
const lookAgainMs = 50;
const graceMs = 5_000;
const lastWords = 2_000;

/** Resolves when it listens on its socket. */
export async function launchServerProxy(options: LaunchOptions): Promise<RunningServerProxy> {
  const { directory, name, unwatchedSeconds, clock, signal } = options;
  const { stdoutFile, stderrFile, socket } = filesOf(directory);
  signal?.throwIfAborted();
  const other = introductionIn(stdoutFile);
  if (other && isRunning(other.pid, other.startTime))
    throw new Error(`a server proxy runs in ${directory} already, as process ${other.pid}: stop it first`);
  const args = ["--socket", socket, "--name", name];
  if (unwatchedSeconds !== undefined) args.push("--unwatched-seconds", String(unwatchedSeconds));
  const { child, exited } = start(args, stdoutFile, stderrFile);
  let exit: ServerProxyExit | undefined;
  void exited.then((how) => {
    exit = how;
  });
  const until = clock.monotonic() + firstLineMs;
  try {
    for (;;) {
      const introduction = introductionIn(stdoutFile);
      if (introduction) return { ...introduction, stdoutFile, stderrFile, exited };
      if (exit) throw new Error(`the server proxy did not start: ${wordsOf(stderrFile) || `exit code ${exit.code}`}`);
      if (clock.monotonic() > until) throw new Error(`the server proxy said nothing for ${firstLineMs / 1_000} s`);
      await sleep(clock, lookAgainMs, signal);
    }
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

/** The one that was launched in this directory, if that very process still runs. */
export function findServerProxy(directory: string, clock: Clock): RunningServerProxy | undefined {
  const { stdoutFile, stderrFile } = filesOf(directory);
  const introduction = introductionIn(stdoutFile);
  if (!introduction || !isRunning(introduction.pid, introduction.startTime)) return undefined;
  return { ...introduction, stdoutFile, stderrFile, exited: ended(introduction, clock) };
}

/** Asks it to end, and makes it where it does not; resolves when it is gone. */
export async function stopServerProxy(
  server: Pick<RunningServerProxy, "pid" | "startTime">,
  clock: Clock,
): Promise<void> {
  const until = clock.monotonic() + graceMs;
  signalTo(server, "SIGTERM");
  while (isRunning(server.pid, server.startTime)) {
    if (clock.monotonic() > until) signalTo(server, "SIGKILL");
    await sleep(clock, lookAgainMs);
  }
}

function filesOf(directory: string) {
  return {
    socket: join(directory, "server.sock"),
    stdoutFile: join(directory, "server.stdout"),
    stderrFile: join(directory, "server.stderr"),
  };
}

function start(args: readonly string[], stdoutFile: string, stderrFile: string) {
  // Emptied: the first line in it is that of the process which runs.
  const [stdout, stderr] = [openSync(stdoutFile, "w", 0o600), openSync(stderrFile, "w", 0o600)];
  try {
    const child = spawn(process.execPath, [program, ...args], {
      detached: true,
      stdio: ["ignore", stdout, stderr],
      // What the controller has in its environment is none of its business.
      env: { PATH: process.env.PATH },
    });
    child.unref();
    const exited = new Promise<ServerProxyExit>((resolve) => {
      child.on("exit", (code, signal) => resolve({ code, signal }));
      child.on("error", () => resolve({ code: null, signal: null }));
    });
    return { child, exited };
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

/** As main.ts has printed it; undefined as long as it has not. */
function introductionIn(stdoutFile: string) {
  const text = read(stdoutFile);
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  const { pid, startTime, socket, certificate } = JSON.parse(text.slice(0, end));
  return { pid, startTime, socket, certificate } as Pick<
    RunningServerProxy,
    "pid" | "startTime" | "socket" | "certificate"
  >;
}

/** Why it did not start, as its log says. */
function wordsOf(stderrFile: string): string {
  return read(stderrFile).slice(-lastWords).trim();
}

async function ended({ pid, startTime }: { pid: number; startTime: string }, clock: Clock): Promise<ServerProxyExit> {
  while (isRunning(pid, startTime)) await sleep(clock, lookAgainMs * 10);
  return { code: null, signal: null };
}

function signalTo({ pid, startTime }: { pid: number; startTime: string }, signal: NodeJS.Signals): void {
  try {
    if (isRunning(pid, startTime)) process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
