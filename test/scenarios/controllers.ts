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
import {
  type Clock,
  type Connection,
  createClient,
  createMetrics,
  kubeconfigFor,
  type Logger,
  Manager,
  unlimited,
} from "@berg/kube";
import { FaultProxy, type Seen } from "../faults/proxy.ts";

export interface ControllerOptions {
  /** Environment variables, as an organiser sets them: `{ MAX_INSTANCES: "1" }`. */
  env?: Record<string, string>;
  /** In this process only. */
  clock?: Clock;
  /** Shows it the instances of this namespace alone: so several can work side by side in one world, each on its own. */
  only?: string;
}

export interface RunningController {
  readonly proxy: FaultProxy;
  /** All that it has asked the server to change, oldest first. */
  writes(): Seen[];
  /** Every line that it has logged. */
  readonly output: readonly string[];
  /** Rejects where it ends without being told to. */
  readonly ended: Promise<void>;
  /** In order: what is under way is finished. */
  stop(): Promise<void>;
  /** As a crash: nothing of it reaches the server any more, from now. */
  kill(): Promise<void>;
}

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

export async function startInProcess(
  target: Connection,
  namespace: string,
  { env = {}, clock, only }: ControllerOptions,
): Promise<RunningController> {
  const proxy = await startProxy(target, only);
  const output: string[] = [];
  const log = keepingLog(output);
  const metrics = await createMetrics();
  const timing = clock && { clock };
  const client = createClient({
    connection: proxy.connection,
    component: "controller",
    rate: unlimited,
    log,
    metrics: metrics.requests,
    ...timing,
  });
  const manager = new Manager({ component: "controller", client, log, metrics, ...timing });
  addInstanceController(manager, { settings: readSettings(env), namespace, metrics, ...timing });
  const stopping = new AbortController();
  let isKilled = false;
  const ended = manager.run(stopping.signal).catch((error) => {
    if (!isKilled) throw error;
  });
  // Told to whoever asks; not knowing of it is no reason to end the test run.
  ended.catch(() => {});
  const end = async () => {
    stopping.abort();
    await ended;
    output.push((await metrics.render()).body);
    await client.close();
    await proxy.stop();
  };
  return {
    proxy,
    output,
    ended,
    writes: () => writesOf(proxy),
    stop: end,
    async kill() {
      isKilled = true;
      proxy.sever();
      await client.close();
      await end();
    },
  };
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

async function startProxy(target: Connection, only: string | undefined): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(target);
  if (only !== undefined) proxy.confine(["challengeinstances", "controllerrevisions"], only);
  return proxy;
}

function writesOf({ requests }: FaultProxy): Seen[] {
  return requests.filter(({ method }) => method !== "GET");
}

function keepingLog(output: string[], known: object = {}): Logger {
  const keep = (level: string) => (fields: object, message: string) =>
    void output.push(JSON.stringify({ level, message, ...known, ...fields }));
  return {
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
    child: (fields) => keepingLog(output, { ...known, ...fields }),
  };
}
