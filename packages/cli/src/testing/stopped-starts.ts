/** Starts `berg controller` on an embedded control plane and sends it SIGTERM at a chosen point of its start. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNotFound } from "@berg/apimachinery";
import { type Client, createClient, Leases, Namespaces } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { customResourceDefinitions } from "@berg/resources";
import { installKinds } from "../up/install-kinds.ts";

/** When it has loaded so many modules, or has written so many lines of log, or a line that contains a text. */
export type StopAt = { load: number } | { line: number } | { text: string };

export interface StoppedStart {
  /** Of the exit: its code and its signal. */
  readonly exit: unknown[];
  readonly stdout: string;
  /** How many modules it loaded. */
  readonly loads: number;
  /** Of the lease afterwards; empty where there is none. */
  readonly holder: string;
}

export class StoppedStarts implements AsyncDisposable {
  readonly #client: Client;
  readonly #kubeconfig: string;
  readonly #parts: AsyncDisposableStack;
  #started = 0;

  private constructor(client: Client, kubeconfig: string, parts: AsyncDisposableStack) {
    this.#client = client;
    this.#kubeconfig = kubeconfig;
    this.#parts = parts;
  }

  static async create(): Promise<StoppedStarts> {
    await using parts = new AsyncDisposableStack();
    const controlPlane = parts.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false }));
    const client = createClient({ connection: controlPlane.apiServer.connection });
    parts.defer(() => client.close());
    await installKinds(client, customResourceDefinitions(), new AbortController().signal);
    const directory = await mkdtemp(join(tmpdir(), "berg-stopped-"));
    parts.defer(() => rm(directory, { recursive: true }));
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, controlPlane.apiServer.kubeconfig, { mode: 0o600 });
    return new StoppedStarts(client, kubeconfig, parts.move());
  }

  /** `under` is a command that runs another one. */
  async run(at: StopAt, under: string[] = []): Promise<StoppedStart> {
    const namespace = `start-${++this.#started}`;
    await this.#client.create(Namespaces, { metadata: { name: namespace } });
    const hook = join(import.meta.dirname, "signal-at.ts");
    const main = join(import.meta.dirname, "../main.ts");
    const [command = "", ...args] = [...under, process.execPath, "--import", hook, main, "controller"];
    const child = spawn(command, args, {
      env: {
        ...{ PATH: process.env.PATH, HOME: "/nowhere", KUBECONFIG: this.#kubeconfig, POD_NAMESPACE: namespace },
        ...{ HEALTH_PORT: "0", METRICS_PORT: "0", SIGNAL_AT: "load" in at ? String(at.load) : "" },
      },
    });
    this.#parts.defer(() => void child.kill("SIGKILL"));
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (text) => {
      const wasReached = isReached(at, stdout);
      stdout += text;
      if (!wasReached && isReached(at, stdout)) child.kill("SIGTERM");
    });
    child.stderr.on("data", (text) => (stderr += text));
    const exit = await once(child, "close");
    const loads = Number(stderr.match(/loads: (\d+)/)?.[1]);
    return { exit, stdout, loads, holder: await this.#holder(namespace) };
  }

  async #holder(namespace: string): Promise<string> {
    try {
      return (await this.#client.get(Leases, namespace, "berg-controller")).spec?.holderIdentity ?? "";
    } catch (error) {
      if (isNotFound(error)) return "";
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function isReached(at: StopAt, stdout: string): boolean {
  if ("text" in at) return stdout.includes(at.text);
  return "line" in at && stdout.split("\n").length > at.line;
}

/** `count` numbers from 1 to `last`, at equal distances. */
export function spread(count: number, last: number): number[] {
  return Array.from({ length: count }, (_, i) => 1 + Math.round((i * (last - 1)) / (count - 1)));
}
