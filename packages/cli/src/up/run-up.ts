/**
 * Everything of Berg on one machine, in one process. Parts start in the order in which they need each other, and stop in
 * the opposite one.
 */
import { resolve } from "node:path";
import { type Client, createClient, type Logger, runProcess, systemClock, unlimited } from "@berg/kube";
import type { ApiServer } from "@berg/local-apiserver";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { createLog } from "../log.ts";
import { version } from "../version.ts";
import { startBerg } from "./berg.ts";
import { greeting } from "./greeting.ts";
import { startNode } from "./node.ts";
import { PodAccess } from "./pod-access.ts";
import { Progress } from "./progress.ts";

export interface UpOptions {
  only?: "control-plane";
  dataDir: string;
  runtime: "auto" | "docker" | "podman" | "simulated";
  host: string;
  port: number;
  httpPort: number;
  tlsPort: number;
  domain: string;
  samples: boolean;
  nodes: number;
}

/** What every part is given. */
export interface Surroundings {
  readonly options: UpOptions;
  /** Where data is kept. */
  readonly directory: string;
  readonly apiServer: ApiServer;
  readonly client: Client;
  readonly progress: Progress;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs until it is told to stop. What is said on the way is for people; trouble is logged as elsewhere. */
export async function runUp(options: UpOptions): Promise<void> {
  const log = createLog("warn");
  const clock = systemClock;
  const write = (text: string) => process.stdout.write(text);
  await runProcess(log, async (stop) => {
    const progress = new Progress(clock, write);
    const { host, port, only, runtime } = options;
    const directory = resolve(options.dataDir);
    await using parts = new AsyncDisposableStack();
    const pods = new PodAccess();
    const controlPlane = await progress.step("control plane", () =>
      startLocalControlPlane({ dataDir: directory, host, port, nodes: pods, log }),
    );
    parts.use(controlPlane);
    const { apiServer } = controlPlane;
    const client = createClient({ connection: apiServer.connection, component: "up", rate: unlimited, log });
    parts.defer(() => client.close());
    const node = await progress.step("node", () =>
      startNode({
        runtime: only ? "simulated" : runtime,
        simulatedNodes: options.nodes,
        dataDir: directory,
        client,
        clock,
        log,
        signal: stop,
        env: process.env,
      }),
    );
    parts.use(node);
    if (node.access) pods.use(node.access);
    const around: Surroundings = { options, directory, apiServer, client, progress, log, signal: stop };
    const berg = only ? undefined : parts.use(await startBerg(around, node.engine));
    write(
      greeting({
        version,
        elapsed: progress.elapsed,
        apiServer: apiServer.url,
        directory,
        nodes: node.what,
        ...(berg && { challenges: berg.challenges }),
        samples: berg?.samples ?? [],
        limitations: node.limitations,
      }),
    );
    const stopped = new Promise<void>((done) => stop.addEventListener("abort", () => done(), { once: true }));
    await Promise.race([stopped, controlPlane.failed, ...(berg ? [berg.failed] : [])]);
    if (stop.aborted) write("\nStopping.\n");
  });
}
