/**
 * Server proxies as processes of the host. They outlive the controller that launched them, so that streams go on while
 * it restarts; the next one finds them by what they said in their first line.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, sleep } from "@berg/kube/process";
import { isRunning, type ProcessName } from "./process.ts";
import { longestPath } from "./unix-socket.ts";

export interface ServerProxyExit {
  /** Both null where it was launched by another process, which alone is told. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningServerProxy extends ProcessName {
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
  /** Its own, with mode 700. */
  directory: string;
  /** Of the pair, for the logs. */
  name: string;
  /** After which it ends the pair when nobody watches. */
  unwatchedSeconds?: number;
  clock: Clock;
  signal?: AbortSignal;
}

type Introduction = Pick<RunningServerProxy, "pid" | "started" | "startTime" | "socket" | "certificate">;

const program = fileURLToPath(new URL("./main.ts", import.meta.url));
const firstLineMs = 60_000;
const lookAgainMs = 50;
const graceMs = 5_000;
const lastWords = 2_000;
/** The directory in which a process works, for itself: a path that is short, however long that of the directory is. */
const ownDirectory = "/proc/self/cwd";

/** Resolves when it listens on its socket. */
export async function launchServerProxy(options: LaunchOptions): Promise<RunningServerProxy> {
  const { directory, name, unwatchedSeconds, clock, signal } = options;
  const { stdoutFile, stderrFile, socket } = filesOf(directory);
  signal?.throwIfAborted();
  const other = introductionIn(stdoutFile);
  if (other && isRunning(other))
    throw new Error(`a server proxy runs in ${directory} already, as process ${other.pid}: stop it first`);
  const args = ["--socket", socket, "--name", name];
  if (unwatchedSeconds !== undefined) args.push("--unwatched-seconds", String(unwatchedSeconds));
  const { child, exited } = start(directory, args, stdoutFile, stderrFile);
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
  if (!introduction || !isRunning(introduction)) return undefined;
  return { ...introduction, stdoutFile, stderrFile, exited: ended(introduction, clock) };
}

/** Asks it to end, and makes it where it does not; resolves when it is gone. */
export async function stopServerProxy(server: ProcessName, clock: Clock): Promise<void> {
  const until = clock.monotonic() + graceMs;
  signalTo(server, "SIGTERM");
  while (isRunning(server)) {
    if (clock.monotonic() > until) signalTo(server, "SIGKILL");
    await sleep(clock, lookAgainMs);
  }
}

function filesOf(directory: string) {
  const socket = join(directory, "server.sock");
  const isLong = Buffer.byteLength(socket) > longestPath && process.platform === "linux";
  return {
    // The kernel goes the long way there by itself: the process works in the directory.
    socket: isLong ? `${ownDirectory}/server.sock` : socket,
    stdoutFile: join(directory, "server.stdout"),
    stderrFile: join(directory, "server.stderr"),
  };
}

function start(directory: string, args: readonly string[], stdoutFile: string, stderrFile: string) {
  // Emptied: the first line in it is that of the process which runs. The log is appended to, wherever its end is by then:
  // it may be made shorter while the process runs.
  const [stdout, stderr] = [openSync(stdoutFile, "w", 0o600), openSync(stderrFile, "a", 0o600)];
  try {
    const child = spawn(process.execPath, [program, ...args], {
      detached: true,
      cwd: directory,
      stdio: ["ignore", stdout, stderr],
      // What the controller has in its environment is none of its business.
      // The threads look up names: so many may be unanswered before another one waits.
      env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: "64" },
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

/** As main.ts has printed it; undefined as long as it has not, and where something else is there. */
function introductionIn(stdoutFile: string): Introduction | undefined {
  const text = read(stdoutFile);
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  const { pid, ...texts } = objectIn(text.slice(0, end));
  const { started, startTime, socket, certificate } = texts;
  if (!isPid(pid) || !isText(started) || !isText(startTime) || !isText(socket) || !isText(certificate))
    return undefined;
  const socketSeenFromHere = socket.replace(ownDirectory, `/proc/${pid}/cwd`);
  return { pid, started, startTime, socket: socketSeenFromHere, certificate };
}

function objectIn(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

function isPid(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Why it did not start, as its log says. */
function wordsOf(stderrFile: string): string {
  return read(stderrFile).slice(-lastWords).trim();
}

async function ended(server: ProcessName, clock: Clock): Promise<ServerProxyExit> {
  while (isRunning(server)) await sleep(clock, lookAgainMs * 10);
  return { code: null, signal: null };
}

function signalTo(server: ProcessName, signal: NodeJS.Signals): void {
  try {
    if (isRunning(server)) process.kill(server.pid, signal);
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
