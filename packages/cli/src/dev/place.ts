/** Where the instance runs: the `berg up` of this data directory, or the same parts in this process. */
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Connection, createClient, loadConnection, Nodes } from "@berg/kube";
import { type Engine, findEngine } from "@berg/local-engine";
import { simulatedLabel } from "@berg/local-node";
import { Failure } from "../instance/failure.ts";
import { Presence } from "../instance/presence.ts";
import type { Surroundings } from "../instance/surroundings.ts";
import { createLog } from "../log.ts";
import { Progress } from "../up/progress.ts";
import { startUp, type UpOptions } from "../up/start-up.ts";

export type PlaceOptions = Pick<UpOptions, "dataDir" | "runtime" | "httpPort" | "tlsPort" | "allowCapabilities">;

export interface Place extends AsyncDisposable {
  readonly connection: Connection;
  /** Undefined where pods are simulated. */
  readonly engine: Engine | undefined;
  /** Rejects where it ends by itself. */
  readonly failed: Promise<never>;
}

const answerMs = 3_000;

export async function findPlace(options: PlaceOptions, around: Surroundings): Promise<Place> {
  const connection = await runningUp(options.dataDir, around);
  return connection ? attach(connection, options, around) : start(options, around);
}

/** Undefined where nothing answers at the kubeconfig of the data directory. */
async function runningUp(dataDir: string, { clock, env, signal }: Surroundings): Promise<Connection | undefined> {
  const kubeconfig = join(resolve(dataDir), "kubeconfig");
  const isThere = await access(kubeconfig).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const late = new AbortController();
  const timer = clock.setTimer(answerMs, () => late.abort(new Error("it does not answer")));
  const connection = await loadConnection({ kubeconfig, clock, env, signal });
  const client = createClient({ connection, component: "dev", clock });
  try {
    await client.raw("/readyz", { signal: AbortSignal.any([late.signal, signal]) });
    return connection;
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    timer.cancel();
    await client.close();
  }
}

async function attach(
  connection: Connection,
  { dataDir, runtime }: PlaceOptions,
  around: Surroundings,
): Promise<Place> {
  const { clock, signal, stderr } = around;
  const client = createClient({ connection, component: "dev", clock });
  const { items } = await client.list(Nodes, { signal }).finally(() => client.close());
  stderr.write(`Using the berg up of ${resolve(dataDir)}\n`);
  const isSimulated = items.some(({ metadata }) => metadata.labels?.[simulatedLabel]);
  await using parts = new AsyncDisposableStack();
  const engine = isSimulated ? undefined : await engineOf(runtime, around, parts);
  const { lost } = parts.use(new Presence(connection, clock));
  const failed = new Promise<never>((_, reject) => lost.addEventListener("abort", () => reject(lost.reason)));
  failed.catch(() => {});
  const running = parts.move();
  return { connection, engine, failed, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function engineOf(
  runtime: PlaceOptions["runtime"],
  { clock, env, signal }: Surroundings,
  parts: AsyncDisposableStack,
): Promise<Engine> {
  const found = await findEngine(runtime === "simulated" ? "auto" : runtime, env, { clock, signal });
  if ("reason" in found) throw new Failure(`cannot build images: ${found.reason}`);
  return parts.use(found).engine;
}

/** What stops us must not stop it: it takes the instance down first. */
async function start(options: PlaceOptions, { clock, env, signal, stderr }: Surroundings): Promise<Place> {
  const ours = new AbortController();
  const stop = () => ours.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", stop, { once: true });
  const progress = new Progress(clock, (text) => stderr.write(text));
  const all = {
    ...options,
    host: "127.0.0.1",
    port: 0,
    domain: "localhost",
    webPort: undefined,
    samples: false,
    nodes: 1,
  };
  const up = await startUp(all, { progress, log: createLog("error"), signal: ours.signal, env });
  signal.removeEventListener("abort", stop);
  for (const text of [`  nodes: ${up.node.what}`, ...up.node.limitations.map((line) => `  Careful: ${line}`)]) {
    stderr.write(`${text}\n`);
  }
  return {
    connection: up.apiServer.connection,
    engine: up.node.containers?.engine,
    failed: up.failed,
    [Symbol.asyncDispose]: () => up[Symbol.asyncDispose](),
  };
}
