/**
 * The controller under test, in this process or as the process that we ship. Each has a proxy of its own between itself
 * and the API server: there its requests are read, held, spoilt, and cut off when it is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { addInstanceController, readSettings } from "@berg/instances";
import { type Connection, kubeconfigFor } from "@berg/kube";
import { type RunningPart, runInProcess, type Sight, startProxy, writesOf } from "./in-process.ts";
import { SkippingClock } from "./skipping-clock.ts";

export interface ControllerOptions extends Sight {
  /** Environment variables, as an organiser sets them: `{ MAX_INSTANCES: "1" }`. */
  env?: Record<string, string>;
}

export type RunningController = RunningPart;

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

export async function startInProcess(
  target: Connection,
  namespace: string,
  { env = {}, ...options }: ControllerOptions,
): Promise<RunningController> {
  return runInProcess("controller", target, options, (manager, metrics, _, heard) => {
    const { clock } = options;
    // Where a test lets time pass at once, it passes for the server as well.
    const serverClock = clock instanceof SkippingClock ? clock : heard;
    addInstanceController(manager, {
      settings: readSettings(env),
      namespace,
      metrics,
      serverClock,
      ...(clock && { clock }),
    });
  });
}

/** `berg controller` itself. It takes the lease first, so that the one before it must have let go. */
export async function startAsProcess(
  target: Connection,
  namespace: string,
  { env = {}, only }: ControllerOptions,
): Promise<RunningController> {
  const proxy = await startProxy(target, only);
  const directory = await mkdtemp(join(tmpdir(), "berg-controller-"));
  const kubeconfig = join(directory, "kubeconfig");
  // Nobody sends a token over plain HTTP: the proxy adds the one that counts.
  const contents = kubeconfigFor({ name: "proxy", server: proxy.connection.server, namespace, token: "none" });
  await writeFile(kubeconfig, contents, { mode: 0o600 });
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main, "controller", "--kubeconfig", kubeconfig], {
    env: { PATH, HOME, HEALTH_PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "debug", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => output.push(line));
  }
  let isToldToEnd = false;
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = closed.then(([code, signal]) => {
    if (!isToldToEnd) throw new Error(`the controller ended with ${code ?? signal}: ${output.slice(-5).join("\n")}`);
  });
  ended.catch(() => {});
  const end = async (how: NodeJS.Signals, running: ChildProcess = child) => {
    isToldToEnd = true;
    if (how === "SIGKILL") proxy.sever();
    running.kill(how);
    await closed;
    await proxy.stop();
    await rm(directory, { recursive: true, force: true });
  };
  return {
    proxy,
    output,
    ended,
    writes: () => writesOf(proxy),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}
