/** What pods run on: containers of this machine's engine, or nothing at all where there is none. */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Client, type Clock, ConfigurationError, type Logger } from "@berg/kube";
import type { Nodes } from "@berg/local-apiserver";
import { type Engine, findEngine } from "@berg/local-engine";
import { type Networks, NodeServing, startContainerNode, startNetworks, startSimulator } from "@berg/local-node";

export interface LocalNode extends AsyncDisposable {
  /** `podman 4.3.1`, or that nothing runs, and why. */
  readonly what: string;
  readonly limitations: readonly string[];
  /** Undefined where pods are simulated. */
  readonly containers?: LocalContainers;
  readonly access?: Nodes;
}

export interface LocalContainers {
  readonly engine: Engine;
  /** Marks what is ours on the engine. */
  readonly node: string;
  readonly networks: Networks;
}

export interface LocalNodeOptions {
  runtime: "auto" | "docker" | "podman" | "simulated";
  /** How many, where they are simulated. */
  simulatedNodes: number;
  /** What containers may add. */
  capabilities: readonly string[];
  dataDir: string;
  client: Client;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
}

export async function startNode(options: LocalNodeOptions): Promise<LocalNode> {
  const { runtime, env, clock, signal } = options;
  if (runtime === "simulated") return simulated(options, "as asked for");
  const found = await findEngine(runtime, env, { clock, signal });
  if (!("reason" in found)) {
    await using undo = new AsyncDisposableStack();
    undo.use(found);
    const missing = await found.missing(signal);
    if (missing) throw new ConfigurationError(`cannot run containers: ${missing}`);
    undo.move();
    return containers(options, found.engine, found);
  }
  if (runtime !== "auto") throw new ConfigurationError(missingText(runtime, found.reason));
  return simulated(options, found.reason);
}

function missingText(runtime: string, reason: string): string {
  const remedy = `Install and start it, or leave out --runtime ${runtime}: then whatever engine there is is used, or none`;
  return `cannot run containers: ${reason}. ${remedy}`;
}

async function containers(options: LocalNodeOptions, engine: Engine, found: AsyncDisposable): Promise<LocalNode> {
  const { client, dataDir, capabilities, clock, log, signal } = options;
  await using undo = new AsyncDisposableStack();
  undo.use(found);
  const name = nodeName(dataDir);
  const networks = await startNetworks({ engine, client, node: name, withoutIsolation: true, clock, log, signal });
  undo.defer(() => networks.stop());
  const around = {
    ...{ engine, client, name, dataDir: join(dataDir, "node"), networks, capabilities },
    ...{ clock, log, signal },
  };
  const node = await startContainerNode(around);
  undo.defer(() => node.stop({ removeContainers: true }));
  const { name: runtime, version } = await engine.info(signal);
  const running = undo.move();
  return {
    what: `${name}: containers of ${runtime} ${version}`,
    limitations: networks.limitations(),
    containers: { engine, node: name, networks },
    access: new NodeServing(engine, clock),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function simulated(options: LocalNodeOptions, why: string): Promise<LocalNode> {
  const { simulatedNodes: nodes, client, clock, log, signal } = options;
  if (nodes === 0) return { what: "none: pods wait", limitations: [], async [Symbol.asyncDispose]() {} };
  const simulator = await startSimulator({ client, nodes, scheduler: "real", clock, log, signal });
  return {
    what: `${nodes}, simulated (${why}): pods become Ready, and no container runs`,
    limitations: [],
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

/** One for each data directory: what one node finds of its own on the engine is not another's. */
export function nodeName(dataDir: string): string {
  const machine = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  const directory = createHash("sha256").update(dataDir).digest("hex").slice(0, 6);
  return `${machine.slice(0, 40) || "local"}-${directory}`;
}
