/** Berg on one machine as its users reach it: `berg up` in a process of its own, with simulated pods, and HTTP clients. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CurrentPlayer, Instance, Problem, ServerMessage } from "@berg/api/wire";
import { type Client, createClient, loadConnection, systemClock, unlimited } from "@berg/kube";
import { WebSocket } from "ws";
import { eventually } from "../runtime/eventually.ts";

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

export interface Answer<T> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: T;
  text: string;
}

export interface Call {
  method?: string;
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: string;
  headers?: Record<string, string | undefined>;
}

/** Where browsers reach Berg. */
export interface Host {
  readonly publicUrl: string;
  readonly port: number;
  call<T>(path: string, call?: Call): Promise<Answer<T>>;
}

export class Site implements Host, AsyncDisposable {
  readonly directory: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #output = "";
  #port = 0;

  private constructor(directory: string, env: Record<string, string>) {
    this.directory = directory;
    this.#env = env;
  }

  /** `env`: settings beside those of this process. */
  static async start(env: Record<string, string> = {}): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), "berg-site-")), env);
    await site.up();
    return site;
  }

  /** Starts it, also again with the data of before. */
  async up(): Promise<void> {
    const ports = ["--port", "0", "--http-port", "0", "--tls-port", "0", "--web-port", String(this.#port)];
    const args = ["up", "--data-dir", this.directory, "--runtime", "simulated", ...ports];
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...this.#env } });
    this.#child = child;
    this.#output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (this.#output += text));
    await eventually("it is up", () => {
      if (child.exitCode !== null) throw new Error(`berg up ended: ${this.#output}`);
      return this.#output.includes("Ctrl-C stops it");
    });
    this.#port = Number(new URL(this.publicUrl).port);
  }

  /** Everything that it has printed since its start. */
  get output(): string {
    return this.#output;
  }

  get publicUrl(): string {
    return /pages +(http\S+)/.exec(this.#output)?.[1] ?? "";
  }

  get port(): number {
    return this.#port;
  }

  /** The one-time links. They are in a file, since the output of this process is no terminal. */
  link(account: "player" | "admin"): string {
    const file = /links .* are in (\S+)/.exec(this.#output)?.[1] ?? "";
    return new RegExp(`${account} +(http\\S+)`).exec(readFileSync(file, "utf8"))?.[1] ?? "";
  }

  tokenOf(account: "player" | "admin"): string {
    return new URL(this.link(account)).hash.slice(1);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** Without a session. */
  call<T>(path: string, call: Call = {}): Promise<Answer<T>> {
    return send(this, path, call);
  }

  /** With the printed link of that account. */
  async signIn(account: "player" | "admin"): Promise<SignedIn> {
    const { status, headers, text } = await this.call("/api/sign-in", {
      method: "POST",
      body: { token: this.tokenOf(account) },
    });
    if (status !== 204) throw new Error(`cannot sign in: ${status} ${text}`);
    return new SignedIn(this, String(headers["set-cookie"]).split(";")[0] ?? "");
  }

  async client(): Promise<Client> {
    const { signal } = new AbortController();
    const kubeconfig = join(this.directory, "kubeconfig");
    const connection = await loadConnection({ kubeconfig, clock: systemClock, signal });
    return createClient({ connection, rate: unlimited });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGKILL");
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** One request to 127.0.0.1, with the name of the host. */
export function send<T>(
  { publicUrl, port }: Pick<Host, "publicUrl" | "port">,
  path: string,
  { method = "GET", body, raw, headers = {} }: Call,
): Promise<Answer<T>> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const all: Record<string, string | undefined> = {
    host: new URL(publicUrl).host,
    ...(method !== "GET" && { origin: publicUrl }),
    ...(payload !== undefined && {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(payload)),
    }),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: "127.0.0.1", port, path, method, headers: sent, agent: false },
      async (incoming) => {
        let text = "";
        for await (const piece of incoming.setEncoding("utf8")) text += piece;
        const isJson = text !== "" && /json/.test(incoming.headers["content-type"] ?? "");
        const { statusCode: status = 0, headers: received } = incoming;
        resolve({ status, headers: received, text, body: (isJson ? JSON.parse(text) : undefined) as T });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(payload);
  });
}

const current = "/api/instances/current";

/** One browser of a player. */
export class SignedIn {
  readonly site: Host;
  readonly cookie: string;

  constructor(site: Host, cookie: string) {
    this.site = site;
    this.cookie = cookie;
  }

  call<T>(path: string, call: Call = {}): Promise<Answer<T>> {
    return this.site.call(path, { ...call, headers: { cookie: this.cookie, ...call.headers } });
  }

  async player(): Promise<CurrentPlayer> {
    return (await this.call<CurrentPlayer>("/api/players/current")).body;
  }

  start(challenge: string, more: { replace?: boolean } = {}): Promise<Answer<Instance & Problem>> {
    return this.call(current, { method: "POST", body: { challenge, ...more } });
  }

  stop(): Promise<Answer<Instance>> {
    return this.call(current, { method: "DELETE" });
  }

  renew(): Promise<Answer<Instance & Problem>> {
    return this.call(`${current}/renew`, { method: "POST" });
  }

  async instance(): Promise<Instance> {
    return (await this.call<Instance>(current)).body;
  }

  async until(what: string, is: (instance: Instance) => boolean): Promise<Instance> {
    let instance = await this.instance();
    await eventually(`the instance ${what}`, async () => {
      instance = await this.instance();
      return is(instance);
    });
    return instance;
  }

  /** A socket of the pages, and everything that it receives. */
  async follow(headers: Record<string, string> = {}): Promise<Followed> {
    const { port, publicUrl } = this.site;
    const host = new URL(publicUrl).host;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`, {
      headers: { host, origin: publicUrl, cookie: this.cookie, ...headers },
    });
    const messages: ServerMessage[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(data.toString())));
    await once(socket, "open");
    return { socket, messages };
  }
}

export interface Followed {
  socket: WebSocket;
  messages: ServerMessage[];
}
