/** The parts of Berg on one machine, in the order in which they need each other: for `berg up` and for `berg dev`. */
import { resolve } from "node:path";
import type { Pages } from "@berg/api";
import { type Client, createClient, type Logger, systemClock, unlimited } from "@berg/kube";
import type { ApiServer } from "@berg/local-apiserver";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { removeAbandoned } from "../dev/abandoned.ts";
import { type RunningBerg, startBerg } from "./berg.ts";
import { localSettings } from "./local-settings.ts";
import { type LocalNode, startNode } from "./node.ts";
import { PodAccess } from "./pod-access.ts";
import type { Progress } from "./progress.ts";

export interface UpOptions {
  only?: "control-plane";
  dataDir: string;
  runtime: "auto" | "docker" | "podman" | "simulated";
  host: string;
  port: number;
  httpPort: number;
  tlsPort: number;
  /** Undefined: without the API and the pages. */
  webPort: number | undefined;
  /** Where browsers reach the pages, if not at the default. */
  publicUrl?: string;
  domain: string;
  /** Names, with commas between them: these beside those of the settings. */
  allowCapabilities?: string;
  /** Directories with files for players. */
  handouts?: string[];
  samples: boolean;
  nodes: number;
}

/** What every part gets. */
export interface Surroundings {
  readonly options: UpOptions;
  /** Where data is kept. */
  readonly directory: string;
  readonly apiServer: ApiServer;
  readonly client: Client;
  readonly progress: Progress;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Built while the control plane starts. Undefined: without the API and the pages. */
  readonly pages: Promise<Pages> | undefined;
}

/** Disposed of, all of it stops, in the opposite order. */
export interface RunningUp extends AsyncDisposable {
  readonly directory: string;
  readonly apiServer: ApiServer;
  readonly client: Client;
  readonly node: LocalNode;
  /** Undefined where only the control plane runs. */
  readonly berg: RunningBerg | undefined;
  /** Rejects where a part ends by itself. */
  readonly failed: Promise<never>;
}

export async function startUp(
  options: UpOptions,
  { progress, log, signal, env }: Pick<Surroundings, "progress" | "log" | "signal"> & { env: NodeJS.ProcessEnv },
): Promise<RunningUp> {
  const { host, port, only, runtime } = options;
  const directory = resolve(options.dataDir);
  // Before anything starts: what is wrong with it would end it all a moment later.
  const settings = only ? undefined : localSettings({ ...options, httpPort: 80, tlsPort: 443 }, env);
  // Loaded only here: the other commands, and our image, do without.
  const pages =
    only || options.webPort === undefined ? undefined : import("./pages.ts").then((module) => module.preparePages());
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
      capabilities: settings?.capabilities ?? [],
      dataDir: directory,
      client,
      clock: systemClock,
      log,
      signal,
      env,
    }),
  );
  parts.use(node);
  if (node.access) pods.use(node.access);
  const deps: Surroundings = { options, directory, apiServer, client, progress, log, signal, pages };
  const berg = only ? undefined : parts.use(await startBerg(deps, node.containers));
  if (berg) await removeAbandoned(client, signal);
  const failed = Promise.race([controlPlane.failed, ...(berg ? [berg.failed] : [])]);
  failed.catch(() => {});
  const running = parts.move();
  return {
    ...{ directory, apiServer, client, node, berg, failed },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
