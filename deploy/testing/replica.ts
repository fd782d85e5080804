/** One replica of a component, as its Deployment starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, kubeconfigFor } from "@berg/kube";
import type { ControlPlane } from "@berg/test";
import { onTestFinished } from "vitest";
import { tokenOf } from "./installed.ts";

interface Line {
  level: string;
  msg: string;
  error?: string;
  /** Of `berg api`. */
  port?: number;
  healthPort?: number;
  metricsPort?: number;
}

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

export class Replica {
  readonly lines: Line[] = [];
  readonly exit: Promise<unknown[]>;
  readonly #process: ChildProcess;

  constructor(command: string, env: Record<string, string>) {
    this.#process = spawn(process.execPath, [main, command], {
      env: { HEALTH_PORT: "0", METRICS_PORT: "0", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.exit = once(this.#process, "exit");
    if (this.#process.stdout)
      createInterface(this.#process.stdout).on("line", (line) => this.lines.push(JSON.parse(line)));
    onTestFinished(() => void this.#process.kill("SIGKILL"));
  }

  said(text: string): boolean {
    return this.lines.some(({ msg }) => msg === text);
  }

  stop(): void {
    this.#process.kill("SIGTERM");
  }

  /** As the kernel does for want of memory: it has no chance to release its lease. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.exit;
  }
}

/** The path of a kubeconfig of this service account; `at` is where it connects, if not to the server itself. */
export async function kubeconfigOf(
  controlPlane: ControlPlane,
  admin: Client,
  account: { name: string; namespace: string },
  at?: { server: string; ca: string },
): Promise<string> {
  const token = await tokenOf(admin, account.name, account.namespace);
  const { ca = "" } = await controlPlane.connection.tls();
  const file = join(controlPlane.directory, `${account.name}.kubeconfig`);
  const { server } = controlPlane;
  await writeFile(file, kubeconfigFor({ name: account.name, token, ...(at ?? { server, ca }) }), { mode: 0o600 });
  return file;
}
