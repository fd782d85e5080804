/** A part of Berg under test, in this process: what is started fast, and killed as a crash would. */
import {
  type Clock,
  type Connection,
  createClient,
  createMetrics,
  type Logger,
  Manager,
  ServerClock,
  systemClock,
  unlimited,
} from "@berg/kube";
import { FaultProxy, type Seen } from "../faults/proxy.ts";

type Metrics = Awaited<ReturnType<typeof createMetrics>>;

export interface Sight {
  /** In this process only. */
  clock?: Clock;
  /** Shows it the instances of this namespace alone: so several can work side by side in one world, each on its own. */
  only?: string;
  /** Whatever else it is to see of that namespace alone, such as `clusters`. */
  confined?: readonly string[];
}

export interface RunningPart {
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

/** With a proxy of its own in front of the server, and without a lease. `add` says what it does. */
export async function runInProcess(
  component: string,
  target: Connection,
  { clock, only, confined = [] }: Sight,
  add: (manager: Manager, metrics: Metrics, log: Logger, serverClock: ServerClock) => void,
): Promise<RunningPart> {
  const proxy = await startProxy(target, only);
  if (only !== undefined) proxy.confine(confined, only);
  const output: string[] = [];
  const log = keepingLog(output);
  const metrics = await createMetrics();
  const timing = clock && { clock };
  const serverClock = new ServerClock(clock ?? systemClock);
  const client = createClient({
    connection: proxy.connection,
    component,
    rate: unlimited,
    log,
    metrics: metrics.requests,
    serverClock,
    ...timing,
  });
  const manager = new Manager({ component, client, log, metrics, ...timing });
  add(manager, metrics, log, serverClock);
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

export async function startProxy(target: Connection, only: string | undefined): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(target);
  if (only !== undefined) proxy.confine(["challengeinstances", "controllerrevisions", "kubeconfigrequests"], only);
  return proxy;
}

export function writesOf({ requests }: FaultProxy): Seen[] {
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
