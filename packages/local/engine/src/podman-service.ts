/**
 * Podman's service as a child of this process: Debian's package brings the command, and starts no service. It ends
 * with us, whatever ends us; if it ends before us, it is started again.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, sleep, type Timer } from "@berg/kube";
import { connectEngine } from "./connect.ts";
import { type Engine, EngineError, type EngineInfo } from "./engine.ts";
import { findCommand } from "./find-command.ts";
import type { Environment } from "./places.ts";

// The shell waits on a pipe whose other end this process holds: it closes even when this process is killed, and then
// nobody else is there to remove the directory.
const script = `
exec 3<&0 </dev/null
"$1" system service --time=0 "unix://$2" 3<&- & service=$!
(read -r _ <&3; rm -rf -- "$3"; kill "$service") & waiter=$!
wait "$service"; code=$?
kill "$waiter"
exit "$code"
`;

const startMs = 10_000;
const pollMs = 50;
const againMs = 1_000;
const stopMs = 5_000;

export type PodmanService =
  | ({ readonly engine: Engine; readonly socket: string; readonly info: EngineInfo } & AsyncDisposable)
  | { readonly reason: string };

export async function startPodmanService(env: Environment, clock: Clock, signal?: AbortSignal): Promise<PodmanService> {
  const podman = findCommand("podman", env);
  if (!podman) return { reason: "neither is there a podman command" };
  // A path to a socket has room for 107 bytes.
  const directory = await mkdtemp(join(env.XDG_RUNTIME_DIR ?? tmpdir(), "berg-podman-"));
  const socket = join(directory, "podman.sock");
  const service = new Service(podman, directory, socket, env, clock);
  const stop = async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const engine = connectEngine(socket, { clock });
  try {
    const info = await firstAnswer(engine, service, clock, signal);
    return { engine, socket, info, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    if (!(error instanceof EngineError)) throw error;
    return { reason: `${podman} system service does not answer: ${service.complaint || error.message}` };
  }
}

async function firstAnswer(engine: Engine, service: Service, clock: Clock, signal?: AbortSignal): Promise<EngineInfo> {
  const giveUp = clock.monotonic() + startMs;
  for (;;) {
    try {
      return await engine.info(signal);
    } catch (error) {
      const isWaitingForIt = error instanceof EngineError && error.status === 0 && !service.hasFailed;
      if (!isWaitingForIt || clock.monotonic() > giveUp) throw error;
    }
    await sleep(clock, pollMs, signal);
  }
}

class Service {
  /** The end of what it complained about. */
  complaint = "";
  /** Whether it has ended by itself. */
  hasFailed = false;
  readonly #start: () => ChildProcess;
  readonly #clock: Clock;
  #child: ChildProcess;
  #again: Timer | undefined;
  #isStopping = false;

  constructor(podman: string, directory: string, socket: string, env: Environment, clock: Clock) {
    this.#clock = clock;
    // A session of its own, so that Ctrl-C in the terminal leaves it to us to end it. Its monitors leave files where
    // they are started.
    const options: SpawnOptions = {
      cwd: directory,
      detached: true,
      env: { ...env },
      stdio: ["pipe", "ignore", "pipe"],
    };
    this.#start = () =>
      this.#watch(spawn("/bin/sh", ["-c", script, "berg-podman", podman, socket, directory], options));
    this.#child = this.#start();
  }

  #watch(child: ChildProcess): ChildProcess {
    child.stdin?.on("error", () => {});
    child.stderr?.on("data", (text: Buffer) => {
      this.complaint = (this.complaint + text).slice(-1000).trimStart();
    });
    child.on("error", (error) => {
      this.complaint = error.message;
      this.hasFailed = true;
    });
    child.on("exit", () => {
      this.hasFailed = true;
      if (this.#isStopping) return;
      this.#again = this.#clock.setTimer(againMs, () => {
        this.#child = this.#start();
      });
    });
    return child;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#again?.cancel();
    const child = this.#child;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.stdin?.end();
    const late = this.#clock.setTimer(stopMs, () => process.kill(-(child.pid ?? 0), "SIGKILL"));
    await exited;
    late.cancel();
  }
}
