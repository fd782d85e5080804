/** Whole processes, as operators run them, on a real API server: how they start, stop, lose the lease and catch up. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Client,
  ConfigMaps,
  createClient,
  Informer,
  Leases,
  type Logger,
  Namespaces,
  silentLogger,
  unlimited,
} from "@berg/kube";
import { Challenges } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { userWithNewToken } from "../control-plane/credentials.ts";
import { freePort } from "../control-plane/ports.ts";
import { FaultProxy, type Seen } from "../faults/proxy.ts";
import { eventually } from "./eventually.ts";

const stranger = userWithNewToken("stranger");
let controlPlane: ControlPlane;
let proxy: FaultProxy;
let client: Client;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllerManager: false, scheduler: false, users: [stranger] });
  proxy = await FaultProxy.start(controlPlane.connection);
  client = createClient({ connection: controlPlane.connection, rate: unlimited });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await client?.close();
  await proxy?.stop();
  await controlPlane?.stop();
});

interface Settings {
  namespace: string;
  timing: { leaseSeconds: number; renewDeadlineSeconds: number; retrySeconds: number };
  takesMs: number;
}

/** One worker process: what it says, what it serves, what it asks of the server, how it ends. */
class Worker {
  readonly name: string;
  readonly port: number;
  readonly said: { message: string; [field: string]: unknown }[] = [];
  readonly exited: Promise<number>;
  exitedAt = Number.POSITIVE_INFINITY;
  readonly #child: ChildProcess;

  private constructor(name: string, port: number, settings: Settings) {
    this.name = name;
    this.port = port;
    const all = { server: proxy.connection.server, token: controlPlane.token, name, port, ...settings };
    this.#child = spawn(process.execPath, [join(import.meta.dirname, "worker.ts"), JSON.stringify(all)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.add(this.#child);
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", (line) =>
      this.said.push(JSON.parse(line)),
    );
    this.exited = once(this.#child, "close").then(([code]) => {
      this.exitedAt = performance.now();
      children.delete(this.#child);
      return code;
    });
  }

  static async start(name: string, settings: Settings): Promise<Worker> {
    return new Worker(name, await freePort(), settings);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async ask(path: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`);
    const text = await answer.text();
    return answer.ok ? text : `${answer.status} ${text}`;
  }

  /** `figure('workqueue_depth{name="work",controller="work"}')` */
  async figure(series: string): Promise<number> {
    const line = (await this.ask("/metrics")).split("\n").find((text) => text.startsWith(`${series} `));
    if (!line) throw new Error(`there is no ${series} in /metrics`);
    return Number(line.slice(series.length + 1));
  }

  requests(after = 0): Seen[] {
    return proxy.requests.filter(({ userAgent, at }) => at > after && userAgent.startsWith(`berg-${this.name}-`));
  }

  writes(after = 0): Seen[] {
    return this.requests(after).filter(({ method }) => method !== "GET");
  }

  copies(): Seen[] {
    return this.writes().filter(({ method, path }) => method === "PUT" && path.includes("/configmaps/"));
  }

  leads(): boolean {
    return this.said.some(({ message }) => message === "leading");
  }
}

const isLease = ({ path }: Seen) => path.includes("/leases");

const answers = (worker: Worker, path: string, want: string) =>
  eventually(`${worker.name} answers ${path} with ${want}`, async () =>
    (await worker.ask(path).catch(() => "")).includes(want),
  );

/** A namespace with a Lease that is free at once, and so many objects that want something. */
async function prepare(namespace: string, count: number): Promise<void> {
  await client.create(Namespaces, { metadata: { name: namespace } });
  await client.create(Leases, { metadata: { namespace, name: "berg-work" } });
  await Promise.all(Array.from({ length: count }, (_, index) => create(namespace, `object-${index}`)));
}

const create = (namespace: string, name: string) =>
  client.create(ConfigMaps, { metadata: { namespace, name, labels: { work: "yes" } }, data: { want: "1" } });

/** The time between two tries as we ship it, and a lease as short as it may then be. */
const brief = { leaseSeconds: 4, renewDeadlineSeconds: 3, retrySeconds: 2 };

describe.skipIf(await missingControlPlane())("a process", () => {
  test("that is told to stop finishes its work, lets go of the lease last, and the next one leads", async () => {
    const namespace = "stop";
    await prepare(namespace, 0);
    const settings = { namespace, timing: brief, takesMs: 1_500 };
    proxy.answer = ({ path }) => (path.includes("/configmaps") ? { status: 503 } : undefined);
    const first = await Worker.start("first", settings);
    await answers(first, "/healthz", "ok");
    expect(await first.ask("/readyz")).toContain("500 [+]ping ok\n[-]caches failed: the caches of configmaps are not");
    expect(first.leads()).toBe(false);
    proxy.answer = () => undefined;
    await eventually("the first one leads", () => first.leads());
    const second = await Worker.start("second", settings);
    await answers(second, "/readyz", "ok");
    expect([await first.ask("/readyz"), await first.ask("/healthz"), await second.ask("/healthz")]).toEqual(
      Array(3).fill("ok"),
    );
    expect(await first.figure('leader_election_master_status{name="berg-work"}')).toBe(1);
    expect(await second.figure('leader_election_master_status{name="berg-work"}')).toBe(0);

    await create(namespace, "under-way");
    await eventually("its work has begun", () => first.said.some(({ message }) => message === "begin"));
    first.kill("SIGTERM");
    await eventually("it heard the signal", () => first.said.some(({ message }) => message === "stopping"));
    await create(namespace, "too-late");
    expect(await first.exited).toBe(0);
    await eventually("the second one leads", () => second.leads());

    // What it had begun is done, what came later is not begun; events before the lease, and after that nothing.
    const last = first.writes().filter((write) => !isLease(write));
    expect(last.map(({ method, path }) => `${method} ${path.split("?")[0]?.split("/").at(-1)}`)).toEqual([
      "PUT under-way",
      "POST events",
    ]);
    const release = first.writes().at(-1) as Seen;
    expect(isLease(release)).toBe(true);
    const lead = second.writes().filter(isLease).at(0) as Seen;
    expect(lead.at).toBeGreaterThan(release.at);
    expect(lead.at - release.at).toBeLessThan(3_000);
    await eventually("the second one does the rest", () => second.copies().length === 1);
    expect(first.said.filter(({ message }) => message.startsWith("reconcile"))).toEqual([]);
    second.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  test("that cannot renew its lease writes nothing more and ends, and the next one leads when the server is back", async () => {
    const namespace = "lost";
    await prepare(namespace, 0);
    const settings = { namespace, timing: brief, takesMs: 100 };
    const leader = await Worker.start("leader", settings);
    await eventually("it leads", () => leader.leads());
    const standby = await Worker.start("standby", settings);
    await answers(standby, "/readyz", "ok");

    // Work that is begun before and would be written after.
    for (let index = 0; index < 20; index++) await create(namespace, `before-${index}`);
    await eventually("it works", () => leader.copies().length > 0);
    proxy.answer = () => "reset";
    proxy.cutWatches();
    const downAt = performance.now();
    for (let index = 0; index < 20; index++) await create(namespace, `during-${index}`);
    expect(await leader.exited).toBe(1);
    expect(leader.exitedAt - downAt).toBeLessThan(5_000);
    // From the last renewal that was begun before the server went away.
    expect(leader.writes(downAt + brief.renewDeadlineSeconds * 1000)).toEqual([]);
    expect(leader.said.at(-1)).toMatchObject({ message: "exiting" });
    const noise = leader.said.filter(({ error }) => String(error).includes("lead"));
    expect(noise.map(({ message }) => message)).toEqual(["exiting"]);
    await delay(2_000);
    expect([await standby.ask("/healthz"), await standby.ask("/readyz")]).toEqual(["ok", "ok"]);
    expect(standby.copies()).toEqual([]);

    proxy.answer = () => undefined;
    await eventually("the standby leads", () => standby.leads(), 15_000);
    await eventually("all is done", async () => (await unfinished(namespace)) === 0);
    standby.kill("SIGTERM");
    expect(await standby.exited).toBe(0);
  });

  test("gets everything done through a storm of conflicts and 10 s without a server, and is then still", async () => {
    const namespace = "storm";
    await prepare(namespace, 200);
    // It is to live through the outage, so its lease must.
    const timing = { leaseSeconds: 60, renewDeadlineSeconds: 50, retrySeconds: 2 };
    const worker = await Worker.start("worker", { namespace, timing, takesMs: 60 });
    const calm = new AbortController();
    const storm = Promise.all(Array.from({ length: 4 }, (_, lane) => makeWaves(namespace, lane, calm.signal)));

    await eventually("it is at work", () => worker.copies().length > 60);
    await controlPlane.apiServer.kill();
    expect(await unfinishedSoFar(worker)).toBeGreaterThan(0);
    await delay(5_000);
    expect([await worker.ask("/healthz"), await worker.ask("/readyz")]).toEqual(["ok", "ok"]);
    await delay(5_000);
    await controlPlane.apiServer.start();
    expect([await worker.ask("/healthz"), await worker.ask("/readyz")]).toEqual(["ok", "ok"]);
    await delay(2_000);
    calm.abort();
    await storm;
    await eventually("all is done", async () => (await unfinished(namespace)) === 0, 60_000);

    // Its last events and retries go out; from then on it asks for nothing but the renewal of its lease.
    const depth = 'workqueue_depth{name="work",controller="work"}';
    await eventually("its queue is empty", async () => (await worker.figure(depth)) === 0);
    await eventually("it is still", () => worker.requests(performance.now() - 2_000).every(isLease));
    const stillSince = performance.now();
    await delay(5_000);
    expect(worker.requests(stillSince).filter((request) => !isLease(request))).toEqual([]);
    expect(worker.requests(stillSince).length).toBeGreaterThan(0);

    const reconciles = async (result: string) =>
      worker.figure(`controller_runtime_reconcile_total{controller="work",result="${result}"}`);
    const [success, requeue, error] = await Promise.all(["success", "requeue", "error"].map(reconciles));
    expect(success).toBeGreaterThanOrEqual(200);
    expect(requeue).toBeGreaterThan(0);
    expect(error).toBeGreaterThan(0);
    const want: Record<string, number> = {
      'controller_runtime_reconcile_errors_total{controller="work"}': error as number,
      'controller_runtime_reconcile_time_seconds_count{controller="work"}':
        (success as number) + (requeue as number) + (error as number),
      'controller_runtime_reconcile_panics_total{controller="work"}': 0,
      'controller_runtime_active_workers{controller="work"}': 0,
      'controller_runtime_max_concurrent_reconciles{controller="work"}': 4,
      'workqueue_unfinished_work_seconds{name="work",controller="work"}': 0,
      'informer_objects{resource="configmaps"}': 200,
      'informer_relists_total{resource="configmaps",reason="start"}': 1,
      'leader_election_master_status{name="berg-work"}': 1,
    };
    for (const [series, value] of Object.entries(want))
      expect([series, await worker.figure(series)]).toEqual([series, value]);
    const figures = await worker.ask("/metrics");
    for (const name of ["workqueue_adds_total", "workqueue_retries_total", "workqueue_queue_duration_seconds_bucket"]) {
      expect(figures).toContain(`${name}{`);
    }
    expect(figures).toMatch(/rest_client_requests_total\{.*code="409"/);
    expect(figures).toMatch(/rest_client_requests_total\{.*code="200"/);
    worker.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
  });
});

describe.skipIf(await missingControlPlane())("an informer tells a person what to do when", () => {
  test.each([
    [
      "it may not read",
      ConfigMaps,
      () => controlPlane.connectWith(stranger.token),
      "cannot",
      "allow this account to list",
    ],
    [
      "a kind is not installed",
      Challenges,
      () => controlPlane.connection,
      "404",
      "install the CustomResourceDefinition",
    ],
  ])("%s", async (_, type, connection, wantError, wantRemedy) => {
    const warned = Promise.withResolvers<object>();
    const log: Logger = { ...silentLogger, warn: (fields) => warned.resolve(fields) };
    const through = createClient({ connection: connection() });
    const stop = new AbortController();
    const run = new Informer({ client: through, type: type as typeof ConfigMaps, log }).run(stop.signal);
    expect(await warned.promise).toMatchObject({
      error: expect.stringContaining(wantError),
      remedy: expect.stringContaining(wantRemedy),
    });
    stop.abort();
    await run;
    await through.close();
  });
});

async function unfinished(namespace: string): Promise<number> {
  const { items } = await client.listAll(ConfigMaps, { namespace });
  return items.filter(({ data }) => data?.got !== data?.want).length;
}

const unfinishedSoFar = async (worker: Worker) => 200 - worker.copies().length;

/** Somebody else who writes to the same objects all the time. */
async function makeWaves(namespace: string, lane: number, calm: AbortSignal): Promise<void> {
  for (let turn = 0; !calm.aborted; turn++) {
    const name = `object-${(turn * 4 + lane) % 200}`;
    const body = { data: { noise: `${turn}` } };
    await client.patch(ConfigMaps, namespace, name, { type: "merge", body }).catch(() => delay(200));
  }
}
