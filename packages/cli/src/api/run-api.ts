/**
 * `berg api`: HTTP at once, and Kubernetes as soon as it is there. The lease decides which process writes; the caches
 * behind the answers are filled in every one. Losing the lease, or the API server, does not end the process: players
 * still sign in and read what is in the database.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createApiMetrics, type Pages, type RunningApi, startApi } from "@berg/api";
import {
  ConfigurationError,
  type Connection,
  createClient,
  createMetrics,
  errorText,
  eventLoopCheck,
  LagMonitor,
  LeadershipLost,
  type Logger,
  loadConnection,
  Manager,
  type Metrics,
  podIdentity,
  runProcess,
  sleep,
  startHealthServer,
  systemClock,
  unlimited,
} from "@berg/kube";
import { createLog } from "../log.ts";
import { refuse } from "../process-settings.ts";
import { version } from "../version.ts";
import type { ApiCommandOptions } from "./api.ts";
import { lockData, sqliteFile } from "./data-lock.ts";
import { findPages } from "./find-pages.ts";
import { release } from "./release.ts";
import { type ApiProcessSettings, readApiSettings } from "./settings.ts";

const retryMs = 5_000;

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runApi(options: ApiCommandOptions): Promise<void> {
  if (options.release) return release(options);
  const mistakes: string[] = allowsCodeGeneration() ? [] : [codeGenerationMistake];
  const settings = readApiSettings(process.env, options, mistakes);
  if (!settings) return refuse(mistakes);
  const log = createLog(settings.process.logLevel);
  await runProcess(log, (stop) => serve(settings, options.kubeconfig, log, stop));
}

const codeGenerationMistake =
  "cannot run with --disallow-code-generation-from-strings, which the ENTRYPOINT of the image sets: the router of Fastify compiles functions. Run it as `berg api`, which is in the PATH of the image";

function allowsCodeGeneration(): boolean {
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
}

async function serve(
  settings: ApiProcessSettings,
  kubeconfig: string | undefined,
  log: Logger,
  stop: AbortSignal,
): Promise<void> {
  const { publicUrl } = settings;
  const { healthPort, metricsPort } = settings.process;
  const located = { ...(kubeconfig !== undefined && { kubeconfig }), clock: systemClock, signal: stop };
  const connection = await loadConnection(located);
  await using parts = new AsyncDisposableStack();
  const metrics = await createMetrics();
  const lag = new LagMonitor(systemClock);
  parts.defer(() => lag.stop());
  const api = parts.use(await startServing(settings, { connection, metrics, log, parts }));
  const health = await startHealthServer({
    ...{ log, metrics, healthPort, metricsPort },
    live: { "event-loop": eventLoopCheck(lag) },
    ready: api.readyChecks,
    notes: api.readyNotes,
  });
  parts.defer(() => health.stop(AbortSignal.timeout(1_000)));
  log.info({ publicUrl, port: api.port, healthPort: health.healthPort, metricsPort: health.metricsPort }, "serving");
  if (publicUrl.startsWith("http:")) {
    log.warn({ publicUrl }, "PUBLIC_URL is not https: sessions can be read on the way, and sent to other ports");
  }
  // Requests under way are answered while the controllers stop.
  stop.addEventListener("abort", () => void api.stopServing(), { once: true });
  await follow(api, { connection, metrics, healthPort, log, stop });
}

interface Deps {
  connection: Connection;
  metrics: Metrics;
  log: Logger;
}

async function startServing(
  settings: ApiProcessSettings,
  { connection, metrics, log, parts }: Deps & { parts: AsyncDisposableStack },
): Promise<RunningApi> {
  const { publicUrl, competition, namespace, maxRenewals, addressRetentionMs } = settings;
  const { host, port, handouts, trustedProxies, mail, providers, poolSize, slowQueryMs } = settings;
  const pages: Pages = await findPages(settings.pagesDirectory);
  if ("reason" in pages) log.warn({ reason: pages.reason }, "serving the API without the pages");
  const data =
    "url" in settings.database
      ? { database: settings.database.url }
      : await openData(settings.database.dataDir, publicUrl, parts);
  const client = createClient({ connection, component: "api", rate: unlimited, log, metrics: metrics.requests });
  parts.defer(() => client.close());
  return startApi({
    settings: { publicUrl, competition, namespace, maxRenewals, addressRetentionMs, version },
    ...data,
    ...{ host, port, pages, client, log, handouts, trustedProxies, mail, providers, poolSize, slowQueryMs },
    metrics: createApiMetrics(metrics),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES" && error.code !== "EADDRNOTAVAIL") throw error;
    throw new ConfigurationError(
      `cannot listen on ${host}:${port} (${error.code}); choose another API_PORT or API_HOST`,
    );
  });
}

/** Also what `berg admin --data-dir` needs: the socket, and where links lead. */
async function openData(
  directory: string,
  publicUrl: string,
  parts: AsyncDisposableStack,
): Promise<{ database: string; adminSocket: string }> {
  await mkdir(directory, { recursive: true }).catch((error) => {
    throw new ConfigurationError(`cannot keep data in ${directory}: ${errorText(error)}`);
  });
  parts.use(lockData(directory));
  await writeFile(join(directory, "public-url"), `${publicUrl}\n`);
  return { database: await sqliteFile(directory), adminSocket: join(directory, "api.sock") };
}

/** A manager after the other, until the stop: each ends with its lease, or where its caches cannot be filled. */
async function follow(
  api: RunningApi,
  { connection, metrics, healthPort, log, stop }: Deps & { healthPort: number; stop: AbortSignal },
): Promise<void> {
  const namespace = process.env.POD_NAMESPACE || connection.namespace;
  const exclusiveIdentity = podIdentity({ podUid: process.env.POD_UID, healthPort });
  while (!stop.aborted) {
    await using parts = new AsyncDisposableStack();
    const client = createClient({ connection, component: "api", rate: unlimited, log, metrics: metrics.requests });
    parts.defer(() => client.close());
    // A client of its own: however much work waits, the lease is renewed.
    const leaseClient = createClient({ connection, component: "api-lease", log });
    parts.defer(() => leaseClient.close());
    const election = { client: leaseClient, namespace, exclusiveIdentity };
    const manager = new Manager({ component: "api", client, log, metrics, election });
    api.attach(manager);
    try {
      await manager.run(stop);
    } catch (error) {
      if (stop.aborted) throw error;
      if (error instanceof LeadershipLost) {
        log.warn({ lease: "berg-api" }, "the lease was lost; running for it again");
        continue;
      }
      log.error({ error: errorText(error) }, "cannot follow the cluster; trying again");
      await sleep(systemClock, retryMs, stop).catch(() => {});
    }
  }
}
