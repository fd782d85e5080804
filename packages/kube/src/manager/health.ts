/**
 * Serves what a kubelet and a Prometheus ask of a process: `/healthz` and `/livez` (restart me?), `/readyz` (may I be
 * counted on?), each also by check (`/readyz/caches`), and `/metrics`. No secrets pass through here, and nobody has to
 * sign in.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText, type Logger } from "../log.ts";
import type { HealthCheck } from "./checks.ts";

export interface HealthServerOptions {
  log: Logger;
  /** All addresses unless given: the kubelet asks from outside of the pod. */
  host?: string;
  /** 8081 unless given; 0 takes any that is free. */
  healthPort?: number;
  /** 8080 unless given; the same as `healthPort` for one server with everything. */
  metricsPort?: number;
  live: Readonly<Record<string, HealthCheck>>;
  ready: Readonly<Record<string, HealthCheck>>;
  /** Figures worth a line of `/readyz?verbose`, which make nothing well or ill. */
  notes?: Readonly<Record<string, () => string>>;
  /** Without it there is no `/metrics`. */
  metrics?: { render(): Promise<{ contentType: string; body: string }> };
}

export interface HealthServer {
  readonly healthPort: number;
  /** Undefined where there are no metrics. */
  readonly metricsPort: number | undefined;
  /** Takes no more requests, and cuts those under way when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

interface Answer {
  status: number;
  contentType: string;
  body: string;
}

/** Undefined for a path that is not its own. */
type Route = (url: URL) => Answer | undefined | Promise<Answer | undefined>;

/**
 *     const health = await startHealthServer({ log, live: { lease: elector.leaseFresh }, ready: { caches }, metrics });
 *     …
 *     await health.stop(AbortSignal.timeout(1000));
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { log, host, healthPort = 8081, metricsPort = 8080, metrics } = options;
  const health = healthRoute(options);
  const figures: Route | undefined =
    metrics &&
    (async ({ pathname }) => (pathname === "/metrics" ? { status: 200, ...(await metrics.render()) } : undefined));

  const servers: Server[] = [];
  const start = async (port: number, routes: Route[]) => {
    const server = createServer((request, response) => void answer(routes, request, response, log));
    await listen(server, { port, host }, log);
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const stop = async (signal: AbortSignal) => {
    await Promise.all(servers.map((server) => close(server, signal)));
  };

  try {
    const together = figures !== undefined && metricsPort === healthPort;
    const port = await start(healthPort, together ? [health, figures] : [health]);
    return {
      healthPort: port,
      metricsPort: together ? port : figures && (await start(metricsPort, [figures])),
      stop,
    };
  } catch (error) {
    await stop(AbortSignal.abort());
    throw error;
  }
}

function healthRoute({ live, ready, notes = {} }: Pick<HealthServerOptions, "live" | "ready" | "notes">): Route {
  const groups: Record<string, Readonly<Record<string, HealthCheck>>> = {
    healthz: { ping, ...live },
    livez: { ping, ...live },
    readyz: { ping, ...ready },
  };
  return ({ pathname, searchParams }) => {
    const [group = "", name] = pathname.slice(1).split("/", 2);
    const checks = Object.hasOwn(groups, group) ? groups[group] : undefined;
    if (!checks) return undefined;
    if (name === undefined || name === "")
      return report(group, checks, searchParams.has("verbose"), group === "readyz" ? notes : {});
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    return check && report(group, { [name]: check }, searchParams.has("verbose"));
  };
}

const ping: HealthCheck = () => undefined;

/** As the API server writes it: one word when all is well, every check when it is not, or when asked. */
function report(
  group: string,
  checks: Readonly<Record<string, HealthCheck>>,
  verbose: boolean,
  notes: Readonly<Record<string, () => string>> = {},
): Answer {
  let lines = "";
  let healthy = true;
  for (const [name, check] of Object.entries(checks)) {
    const reason = reasonOf(check);
    if (reason !== undefined) healthy = false;
    lines += reason === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${reason}\n`;
  }
  for (const [name, note] of Object.entries(notes)) lines += `[+]${name}: ${note()}\n`;
  if (!healthy) return plain(500, `${lines}${group} check failed\n`);
  return plain(200, verbose ? `${lines}${group} check passed\n` : "ok");
}

function reasonOf(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch {
    // What was thrown was not written for everyone to read.
    return "the check itself failed";
  }
}

async function answer(routes: Route[], request: IncomingMessage, response: ServerResponse, log: Logger): Promise<void> {
  let found: Answer;
  try {
    found = await find(routes, request);
  } catch (error) {
    log.error({ error: errorText(error) }, "a request for health or metrics failed");
    found = plain(500, "internal error\n");
  }
  const { status, contentType, body } = found;
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function find(routes: Route[], request: IncomingMessage): Promise<Answer> {
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET and HEAD\n");
  const url = URL.parse(request.url ?? "", "http://localhost");
  for (const route of url ? routes : []) {
    const found = url && (await route(url));
    if (found) return found;
  }
  return plain(404, "not found\n");
}

function plain(status: number, body: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body };
}

function listen(server: Server, at: { port: number; host: string | undefined }, log: Logger): Promise<void> {
  const refused = `cannot serve health or metrics on port ${at.port}`;
  return new Promise((resolve, reject) => {
    server.on("error", (cause) => {
      if (server.listening) log.error({ error: errorText(cause) }, "the server for health or metrics has a problem");
      else
        reject(new Error(`${refused}: ${errorText(cause)}; choose another with healthPort or metricsPort`, { cause }));
    });
    server.listen(at, resolve);
  });
}

function close(server: Server, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cut = () => server.closeAllConnections();
    server.close(() => {
      signal.removeEventListener("abort", cut);
      resolve();
    });
    server.closeIdleConnections();
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
  });
}
