/**
 * Berg as it runs on a cluster: two `berg api` processes on one PostgreSQL, the controller and simulated pods. Each request
 * of a browser goes to the next replica. Each replica reaches the API server through a proxy of its own, which keeps what
 * it asked for.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAdminCommandOn } from "@berg/api";
import { type Client, kubeconfigFor } from "@berg/kube";
import { Challenges, Competitions } from "@berg/resources";
import { parse } from "yaml";
import { FaultProxy, type Seen } from "../faults/proxy.ts";
import { startPostgres, type TestPostgres } from "../postgres/postgres.ts";
import { eventually } from "../runtime/eventually.ts";
import type { World } from "../scenarios/world.ts";
import { type Answer, type Call, type Host, SignedIn, send } from "./site.ts";

const ownMain = join(import.meta.dirname, "../../packages/cli/src/main.ts");
const samples = join(import.meta.dirname, "../../samples");

export interface ClusterOptions {
  /** One that lives as long as the cluster; a new one unless told. */
  postgres?: TestPostgres;
  /** The port at which the replicas reach PostgreSQL, where something stands in between. */
  databasePort?: number;
  /** Environment variables of every replica. */
  env?: Record<string, string>;
}

export interface ReplicaOptions {
  /** Flags of Node. */
  nodeFlags?: readonly string[];
  /** The program in place of this version's. */
  main?: string;
}

export class Cluster implements Host, AsyncDisposable {
  readonly publicUrl = "http://berg.example";
  readonly world: World;
  readonly postgres: TestPostgres;
  /** As the replicas reach it. */
  readonly database: string;
  readonly env: Readonly<Record<string, string>>;
  readonly replicas: Replica[] = [];
  readonly #parts: AsyncDisposableStack;
  #next = 0;

  private constructor(
    { world, postgres, database, env }: Pick<Cluster, "world" | "postgres" | "database" | "env">,
    parts: AsyncDisposableStack,
  ) {
    this.world = world;
    this.postgres = postgres;
    this.database = database;
    this.env = env;
    this.#parts = parts;
  }

  /** With two replicas. */
  static async start(startWorld: () => Promise<World>, options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = await Cluster.prepare(startWorld, options);
    try {
      for (let count = 0; count < 2; count++) await cluster.addReplica();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** Without replicas. */
  static async prepare(startWorld: () => Promise<World>, options: ClusterOptions = {}): Promise<Cluster> {
    const { env = {} } = options;
    await using parts = new AsyncDisposableStack();
    const postgres = options.postgres ?? parts.use(await startPostgres());
    const world = parts.use(await startWorld());
    await world.startController();
    for (const name of ["notes", "vault"]) {
      const manifest = parse(await readFile(join(samples, name, "challenge.yaml"), "utf8"));
      await world.client.create(Challenges, manifest);
    }
    const spec = { start: "2020-01-01T00:00:00Z" };
    await world.client.create(Competitions, { metadata: { namespace: "berg", name: "competition" }, spec } as never);
    const database = new URL(await postgres.newDatabase());
    if (options.databasePort !== undefined) database.port = String(options.databasePort);
    return new Cluster({ world, postgres, database: database.href, env }, parts.move());
  }

  get client(): Client {
    return this.world.client;
  }

  /** Of the replica whose turn it is, as a load balancer has it. */
  get port(): number {
    const healthy = this.replicas.filter(({ isServing }) => isServing);
    const next = healthy[this.#next++ % healthy.length];
    if (!next) throw new Error("no replica runs");
    return next.port;
  }

  call<T>(path: string, call: Call = {}): Promise<Answer<T>> {
    return send(this, path, call);
  }

  async addReplica(options: ReplicaOptions = {}): Promise<Replica> {
    const replica = await Replica.start(this, options);
    this.#parts.use(replica);
    this.replicas.push(replica);
    return replica;
  }

  /** The one that holds the lease. */
  async leader(): Promise<Replica> {
    let leader: Replica | undefined;
    await eventually("a replica leads", () => {
      leader = this.replicas.find(({ isLeading }) => isLeading);
      return leader;
    });
    return leader as Replica;
  }

  async signIn(name: string, roles: "admin"[] = []): Promise<SignedIn> {
    const { database, publicUrl } = this;
    const link = await runAdminCommandOn({ database, publicUrl }, { command: "link", name, roles, kind: "personal" });
    return this.signInWith(link.output);
  }

  async signInWith(link: string): Promise<SignedIn> {
    const body = { token: new URL(link).hash.slice(1) };
    const { status, headers, text } = await this.call("/api/sign-in", { method: "POST", body });
    if (status !== 204) throw new Error(`cannot sign in: ${status} ${text}`);
    return new SignedIn(this, String(headers["set-cookie"]).split(";")[0] ?? "");
  }

  /** Rows of the table, as the database prints them: JSON. */
  async rows<T>(table: string): Promise<T[]> {
    const name = new URL(this.database).pathname.slice(1);
    return JSON.parse(
      await this.postgres.query(name, `select coalesce(json_agg(t order by t.id), '[]') from ${table} t`),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

const pick = ({ port, metricsPort }: { port: number; metricsPort: number }) => ({ port, metricsPort });

export class Replica implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** To Kubernetes. */
  readonly proxy: FaultProxy;
  readonly #directory: string;
  /** The program that it runs. */
  readonly main: string;
  output = "";
  port = 0;
  metricsPort = 0;
  isFrozen = false;
  #isStopping = false;

  private constructor(
    child: ChildProcess,
    proxy: FaultProxy,
    { directory, main }: { directory: string; main: string },
  ) {
    this.#child = child;
    this.main = main;
    this.proxy = proxy;
    this.#directory = directory;
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (this.output += text));
  }

  static async start(
    { world, database, publicUrl, env }: Cluster,
    { nodeFlags = [], main = ownMain }: ReplicaOptions,
  ): Promise<Replica> {
    const proxy = await FaultProxy.start(world.controlPlane.connection);
    const directory = await mkdtemp(join(tmpdir(), "berg-replica-"));
    const kubeconfig = join(directory, "kubeconfig");
    const { server } = proxy.connection;
    await writeFile(kubeconfig, kubeconfigFor({ name: "proxy", server, namespace: "berg", token: "none" }));
    await writeFile(join(directory, "index.html"), "<!doctype html>pages");
    const ports = { API_PORT: "0", HEALTH_PORT: "0", METRICS_PORT: "0", API_HOST: "127.0.0.1" };
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [...nodeFlags, main, "api", "--kubeconfig", kubeconfig], {
      env: { PATH, HOME, ...ports, PAGES_DIR: directory, PUBLIC_URL: publicUrl, DATABASE_URL: database, ...env },
    });
    const replica = new Replica(child, proxy, { directory, main });
    await eventually("it serves", () => {
      if (child.exitCode !== null) throw new Error(`berg api ended: ${replica.output}`);
      const line = replica.output.split("\n").find((one) => one.includes('"msg":"serving"'));
      if (line !== undefined) Object.assign(replica, pick(JSON.parse(line)));
      return replica.port !== 0 && replica.output.includes('"msg":"caches are filled"');
    });
    return replica;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether a load balancer sends requests to it. */
  get isServing(): boolean {
    return this.isRunning && !this.isFrozen && !this.#isStopping;
  }

  get isLeading(): boolean {
    const led = this.output.lastIndexOf('"msg":"leading"');
    return this.isRunning && led > this.output.lastIndexOf("the lease was lost");
  }

  /** Of ChallengeInstances, since the start. */
  writes(): Seen[] {
    return this.proxy.requests.filter(({ method, resource }) => method !== "GET" && resource === "challengeinstances");
  }

  async metrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();
  }

  freeze(): void {
    this.isFrozen = true;
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.isFrozen = false;
    this.#child.kill("SIGCONT");
  }

  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** In order: it answers what is under way, and releases its lease. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#end("SIGTERM");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.proxy.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
