/** `berg clusters` as it is shipped, in a process of its own, and what that process costs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { kubeconfigFor } from "@berg/kube";
import { freePort } from "../../control-plane/ports.ts";
import { cpuSeconds, residentMiB } from "../process.ts";
import { namespace, type World } from "./world.ts";

const main = join(import.meta.dirname, "../../../packages/cli/src/main.ts");
const pollMs = 100;
const settleMs = 300_000;

export interface Operators extends AsyncDisposable {
  /** Waits until each controller has looked at that many objects, and none has anything left to look at. */
  settled(objects: Record<string, number>): Promise<void>;
  /** Of processor time, since it started. */
  cpuSeconds(): Promise<number>;
  /** What the machine has to hold for it. */
  residentMiB(): Promise<number>;
  /** In order, as a rollout ends it. */
  stop(): Promise<void>;
}

/** With no more in its environment than what has no default, unless told. */
export async function startOperators(
  { directory, server, garden }: World,
  settings: Record<string, string> = {},
): Promise<Operators> {
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor({ name: "bench", namespace, ...server }), { mode: 0o600 });
  const metricsPort = await freePort();
  const log = join(directory, "clusters.log");
  const output = openSync(log, "a");
  const { PATH, HOME, NODE_OPTIONS } = process.env;
  const environment = {
    ...{ PATH, HOME, NODE_OPTIONS, GARDEN_KUBECONFIG: garden.kubeconfig, GARDEN_PROJECT: garden.project },
    ...{ HEALTH_PORT: "0", METRICS_PORT: String(metricsPort), LOG_LEVEL: "warn" },
    ...settings,
  };
  const child = spawn(process.execPath, [main, "clusters", "--kubeconfig", kubeconfig], {
    env: environment,
    stdio: ["ignore", output, output],
  });
  const ended = once(child, "exit");
  let isStopping = false;
  void ended.then(async ([code, signal]) => {
    if (isStopping) return;
    const lines = (await readFile(log, "utf8")).trim().split("\n").slice(-5);
    throw new Error(`the operators ended by themselves (${signal ?? `code ${code}`}):\n${lines.join("\n")}`);
  });
  const stop = async () => {
    isStopping = true;
    child.kill();
    await ended;
  };
  return {
    async settled(objects) {
      const deadline = performance.now() + settleMs;
      while (!isSettled(await metricsAt(metricsPort), objects)) {
        if (performance.now() > deadline) throw new Error(`the operators did not settle in ${settleMs / 1000} s`);
        await delay(pollMs);
      }
    },
    cpuSeconds: () => cpuSeconds(child.pid as number),
    residentMiB: () => residentMiB(child.pid as number),
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

function isSettled(metrics: string, objects: Record<string, number>): boolean {
  return Object.entries(objects).every(([controller, count]) => {
    const value = (name: string) =>
      metrics
        .split("\n")
        .filter(
          (line) => line.startsWith(`${name}{`) && /[{,](controller|name)="([^"]*)"/.exec(line)?.[2] === controller,
        )
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
    return (
      value("controller_runtime_reconcile_total") >= count &&
      value("controller_runtime_active_workers") === 0 &&
      value("workqueue_depth") === 0
    );
  });
}
