/** `berg api` as shipped, in processes of its own, and the embedded API server, which has a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, kubeconfigFor, Leases, Namespaces, unlimited } from "@berg/kube";
import { Challenges, Competitions, customResourceDefinitions, Pages } from "@berg/resources";
import { connectionWith } from "../../control-plane/credentials.ts";
import { freePort } from "../../control-plane/ports.ts";
import { startPostgres } from "../../postgres/postgres.ts";
import { CustomResourceDefinitions, untilServed } from "../../scenarios/crds.ts";
import { startEmbedded } from "../apiserver/contenders.ts";
import type { Server } from "../instances/connect.ts";
import { liveHeapMiB } from "../live-heap.ts";
import { residentMiB } from "../process.ts";
import { type Account, insertAccounts } from "./accounts.ts";
import type { Target } from "./connection.ts";

const main = join(import.meta.dirname, "../../../packages/cli/src/main.ts");
export const namespace = "berg";
/** For the bare client: the API does not watch it. */
export const bareNamespace = "bare";
/** The challenge that is started. */
export const challengeName = "challenge-0";

const challengeCount = 40;
const pageCount = 5;
const readyMs = 30_000;

interface SiteParts extends AsyncDisposable {
  readonly publicUrl: string;
  readonly server: Server;
  readonly accounts: readonly Account[];
  /** Removed at the end. */
  readonly directory: string;
}

/** One process on SQLite. */
export interface Site extends SiteParts {
  readonly target: Target;
  liveHeapMiB(): Promise<number>;
  residentMiB(): Promise<number>;
}

/** Two processes on PostgreSQL. */
export interface ReplicatedSite extends SiteParts {
  readonly targets: readonly [Target, Target];
}

export async function startSite(accountCount: number): Promise<Site> {
  await using stack = new AsyncDisposableStack();
  const { directory, server } = await startServer(stack);
  const accounts = await insertAccounts(join(directory, "api.db"), accountCount);
  const api = stack.use(await startApiProcess({ directory, server, port: await freePort() }));
  const running = stack.move();
  return { ...api, server, accounts, directory, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

export async function startReplicatedSite(accountCount: number): Promise<ReplicatedSite> {
  await using stack = new AsyncDisposableStack();
  const postgres = stack.use(await startPostgres());
  const { directory, server } = await startServer(stack);
  const database = await postgres.newDatabase();
  const accounts = await insertAccounts(database, accountCount);
  const one = stack.use(await startApiProcess({ directory, server, database, port: await freePort() }));
  const { publicUrl } = one;
  const other = stack.use(
    await startApiProcess({ directory, server, database, port: await freePort(), publicUrl, name: "other" }),
  );
  const targets = [one.target, other.target] as const;
  const running = stack.move();
  return { publicUrl, targets, server, accounts, directory, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startServer(stack: AsyncDisposableStack): Promise<Pick<Site, "directory" | "server">> {
  const directory = await mkdtemp(join(tmpdir(), "berg-bench-api-"));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const { server } = stack.use(await startEmbedded());
  await fill(server);
  return { directory, server };
}

async function fill(server: Server): Promise<void> {
  const client = createClient({ connection: connectionWith(server), component: "bench", rate: unlimited });
  try {
    await installKinds(client);
    for (const name of [namespace, bareNamespace]) await client.create(Namespaces, { metadata: { name } });
    // A lease that was never held is free at once.
    await client.create(Leases, { metadata: { namespace, name: "berg-api" } });
    await client.create(Competitions, {
      metadata: { namespace, name: "competition" },
      spec: { title: "Bench", start: "2020-01-01T00:00:00Z" } as never,
    });
    for (let index = 0; index < challengeCount; index++) await client.create(Challenges, challenge(index));
    for (let index = 0; index < pageCount; index++) {
      const spec = { title: `Page ${index}`, path: `/page-${index}`, index, content: paragraphs(8) };
      await client.create(Pages, { metadata: { namespace, name: `page-${index}` }, spec });
    }
  } finally {
    await client.close();
  }
}

async function installKinds(client: Client): Promise<void> {
  const definitions = customResourceDefinitions();
  for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
  await Promise.all(definitions.map((definition) => untilServed(client, definition)));
}

function challenge(index: number) {
  return {
    metadata: { namespace, name: `challenge-${index}` },
    spec: {
      displayName: `Challenge ${index}`,
      author: "Bench",
      description: paragraphs(3),
      categories: [["web", "crypto", "pwn", "misc"][index % 4]],
      difficulty: "easy",
      flag: "flag{the_same_for_all}",
      containers: [
        {
          hostname: "web",
          image: "web:1",
          ports: [{ name: "http", port: 80, type: "publicHttpRoute" }],
          dynamicFlag: { content: { path: "/flag.txt" } },
        },
      ],
    } as never,
  };
}

function paragraphs(count: number): string {
  const text =
    "A small site keeps the notes of its friends. Look at **how the page asks for a note**, and `read` it.\n\n";
  return text.repeat(count);
}

type ApiProcess = Pick<Site, "target" | "publicUrl" | "liveHeapMiB" | "residentMiB"> & AsyncDisposable;

interface ApiProcessOptions {
  directory: string;
  server: Server;
  port: number;
  /** Of PostgreSQL; a SQLite file in the directory without it. */
  database?: string;
  /** That of the first replica; its own without it. */
  publicUrl?: string;
  /** Of its log. */
  name?: string;
}

async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const { directory, server, port, database, publicUrl = `http://berg.localhost:${port}`, name = "api" } = options;
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor({ name: "bench", namespace, ...server }), { mode: 0o600 });
  const [healthPort, metricsPort, inspectPort] = [await freePort(), await freePort(), await freePort()];
  const { host } = new URL(publicUrl);
  const log = join(directory, `${name}.log`);
  const output = openSync(log, "w");
  const { PATH, HOME, NODE_OPTIONS } = process.env;
  const child = spawn(
    process.execPath,
    [
      ...[`--inspect-port=${inspectPort}`, main, "api", "--kubeconfig", kubeconfig],
      ...(database === undefined ? ["--data-dir", directory] : []),
    ],
    {
      env: {
        ...{ PATH, HOME, NODE_OPTIONS, PUBLIC_URL: publicUrl },
        ...{ API_HOST: "127.0.0.1", API_PORT: String(port) },
        ...(database !== undefined && { DATABASE_URL: database }),
        ...{ HEALTH_PORT: String(healthPort), METRICS_PORT: String(metricsPort) },
      },
      stdio: ["ignore", output, output],
    },
  );
  const ended = once(child, "exit");
  const end = async () => {
    child.kill();
    await ended;
  };
  try {
    await untilReady(healthPort, () => child.exitCode === null);
  } catch (error) {
    await end();
    const lines = (await readFile(log, "utf8")).trim().split("\n").slice(-5);
    throw new Error(`berg api did not become ready:\n${lines.join("\n")}`, { cause: error });
  }
  const pid = child.pid as number;
  return {
    target: { port, host },
    publicUrl,
    liveHeapMiB: () => liveHeapMiB(pid, inspectPort),
    residentMiB: () => residentMiB(pid),
    [Symbol.asyncDispose]: end,
  };
}

async function untilReady(healthPort: number, isRunning: () => boolean): Promise<void> {
  const deadline = performance.now() + readyMs;
  const isReady = () =>
    fetch(`http://127.0.0.1:${healthPort}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (!isRunning()) throw new Error("it ended");
    if (performance.now() > deadline) throw new Error(`it took more than ${readyMs / 1000} s`);
    await delay(50);
  }
}
