/** `berg controller` as it is shipped, in a process of its own, and what that process costs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { kubeconfigFor } from "@berg/kube";
import { freePort } from "../../control-plane/ports.ts";
import { liveHeapMiB } from "../live-heap.ts";
import { cpuSeconds, residentMiB } from "../process.ts";
import { type Cluster, namespace } from "./cluster.ts";
import type { Server } from "./connect.ts";

const main = join(import.meta.dirname, "../../../packages/cli/src/main.ts");
const pollMs = 100;
const settleMs = 120_000;

export interface ControllerProcess extends AsyncDisposable {
  /** Waits until it has looked at that many instances and has nothing left to look at. */
  settled(instances: number): Promise<void>;
  /** Of processor time, since it started. */
  cpuSeconds(): Promise<number>;
  /** What the machine has to hold for it. */
  residentMiB(): Promise<number>;
  /** What it cannot let go of. */
  liveHeapMiB(): Promise<number>;
  /** In order, as a rollout ends it. */
  stop(): Promise<void>;
}

export interface ControllerSettings {
  /** The cluster's own unless told otherwise. */
  server?: Omit<Server, "ca"> & { ca?: string };
  /** Settings that are not as shipped. */
  env?: Record<string, string>;
}

export async function startController(
  { directory, server: direct }: Cluster,
  { server = direct, env = {} }: ControllerSettings = {},
): Promise<ControllerProcess> {
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor({ name: "bench", namespace, ...server }), { mode: 0o600 });
  const [metricsPort, inspectPort] = [await freePort(), await freePort()];
  const log = join(directory, "controller.log");
  const output = openSync(log, "w");
  const { PATH, HOME, NODE_OPTIONS } = process.env;
  const child = spawn(
    process.execPath,
    [`--inspect-port=${inspectPort}`, main, "controller", "--kubeconfig", kubeconfig],
    {
      env: { PATH, HOME, NODE_OPTIONS, HEALTH_PORT: "0", METRICS_PORT: String(metricsPort), ...env },
      stdio: ["ignore", output, output],
    },
  );
  const ended = once(child, "exit");
  let isStopping = false;
  void ended.then(async ([code, signal]) => {
    if (isStopping) return;
    const lines = (await readFile(log, "utf8")).trim().split("\n").slice(-5);
    throw new Error(`the controller ended by itself (${signal ?? `code ${code}`}):\n${lines.join("\n")}`);
  });
  const stop = async () => {
    isStopping = true;
    child.kill();
    await ended;
  };
  return {
    async settled(instances) {
      const deadline = performance.now() + settleMs;
      while (!isSettled(await metricsAt(metricsPort), instances)) {
        if (performance.now() > deadline) throw new Error(`the controller did not settle in ${settleMs / 1000} s`);
        await delay(pollMs);
      }
    },
    cpuSeconds: () => cpuSeconds(child.pid as number),
    residentMiB: () => residentMiB(child.pid as number),
    liveHeapMiB: () => liveHeapMiB(child.pid as number, inspectPort),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Empty while it does not serve them yet. */
function metricsAt(port: number): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => "",
  );
}

function isSettled(metrics: string, instances: number): boolean {
  const value = (name: string) =>
    metrics
      .split("\n")
      .filter((line) => line.startsWith(`${name}{`) && line.includes('controller="challengeinstance"'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  return (
    metrics !== "" &&
    value("controller_runtime_reconcile_total") >= instances &&
    value("controller_runtime_active_workers") === 0 &&
    value("workqueue_depth") === 0
  );
}
