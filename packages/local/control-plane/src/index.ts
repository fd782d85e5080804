/**
 * A Kubernetes control plane in this process: the API server, and the controllers without which its objects would be
 * nothing but text. Nodes join by themselves, as they do elsewhere.
 */
import {
  createClient,
  createMetrics,
  type Logger,
  Manager,
  type ManagerOptions,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import { type ApiServer, type ApiServerOptions, startApiServer } from "@berg/local-apiserver";
import { addClusterControllers, addScheduler } from "@berg/local-controllers";

export interface LocalControlPlaneOptions extends ApiServerOptions {
  /** Whether pods are placed on nodes here; they are unless told otherwise. */
  scheduler?: boolean;
}

export interface LocalControlPlane extends AsyncDisposable {
  readonly apiServer: ApiServer;
  /** Rejects where the controllers end by themselves: the control plane is of no use any more. */
  readonly failed: Promise<never>;
  /** Controllers first, then the API server. May be called again. */
  stop(): Promise<void>;
}

/**
 *     await using controlPlane = await startLocalControlPlane({ dataDir: ".berg" });
 *     const client = createClient({ connection: controlPlane.apiServer.connection });
 */
export async function startLocalControlPlane(options: LocalControlPlaneOptions): Promise<LocalControlPlane> {
  const { scheduler = true, clock = systemClock, log = silentLogger } = options;
  await using undo = new AsyncDisposableStack();
  const apiServer = undo.use(await startApiServer(options));
  const { connection, caPem: rootCa } = apiServer;
  const around = { clock, log };
  const managers = [
    await newManager("controllers", connection, around),
    ...(scheduler ? [await newManager("scheduler", connection, around)] : []),
  ];
  const [controllers, placing] = managers;
  if (controllers) addClusterControllers(controllers, { ...around, rootCa });
  if (placing) addScheduler(placing, around);

  const failure = Promise.withResolvers<never>();
  // Whoever does not ask is not told, and is not brought down by it either.
  failure.promise.catch(() => {});
  const stopping = new AbortController();
  const runs = managers.map((manager) => manager.run(stopping.signal));
  for (const run of runs) run.catch(failure.reject);
  undo.defer(async () => {
    stopping.abort();
    await Promise.allSettled(runs);
  });
  const running = undo.move();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= running.disposeAsync();
    return stopped;
  };
  return { apiServer, failed: failure.promise, stop, [Symbol.asyncDispose]: stop };
}

async function newManager(
  component: string,
  connection: ApiServer["connection"],
  { clock, log }: { clock: NonNullable<ManagerOptions["clock"]>; log: Logger },
): Promise<Manager> {
  const client = createClient({ connection, component, rate: unlimited, log });
  return new Manager({ component, client, log, metrics: await createMetrics(), clock });
}
