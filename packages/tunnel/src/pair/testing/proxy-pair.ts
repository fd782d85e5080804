/** Both proxies as the programs that they are, on loopback, brought together as the controller does it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "@berg/kube";
import type { Introduction } from "../../client-proxy/client-proxy.ts";
import type { PairEvent } from "../../protocol/tunnel_pb.ts";
import { connectServerProxy, type ServerProxyClient } from "../../server-proxy/client.ts";
import { launchServerProxy, type RunningServerProxy, stopServerProxy } from "../../server-proxy/launch.ts";

const program = fileURLToPath(new URL("../../client-proxy/main.ts", import.meta.url));

export interface PairOptions {
  unwatchedSeconds?: number;
  /** Of the client proxy's environment. */
  environment?: Record<string, string>;
  /** The port that the server proxy dials instead of the client proxy's own. */
  through?: (controlPort: number) => Promise<number>;
  isConnected?: boolean;
  isWatched?: boolean;
}

export class ClientProgram implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly introduction: Introduction;
  /** What it said on stderr. */
  readonly lines: string[];
  readonly exited: Promise<number | null>;

  private constructor(
    process: ChildProcess,
    introduction: Introduction,
    lines: string[],
    exited: Promise<number | null>,
  ) {
    this.process = process;
    this.introduction = introduction;
    this.lines = lines;
    this.exited = exited;
  }

  static async start(peer: string, environment: Record<string, string> = {}): Promise<ClientProgram> {
    const ports = { BERG_TUNNEL_CONTROL_PORT: "0", BERG_TUNNEL_DATA_PORT: "0" };
    const env = { BERG_TUNNEL_PEER: peer, BERG_TUNNEL_MANAGEMENT: "127.0.0.0/8", ...ports, ...environment };
    const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
    const exited = once(child, "exit").then(([code]) => code as number | null);
    const lines: string[] = [];
    createInterface(child.stderr).on("line", (line) => lines.push(line));
    const said = once(createInterface(child.stdout), "line").then(([line]) => String(line));
    const first = await Promise.race([said, exited.then(() => undefined)]);
    if (first === undefined) throw new Error(`the client proxy did not start: ${lines.join("\n")}`);
    return new ClientProgram(child, JSON.parse(first), lines, exited);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.exited;
  }
}

export class ProxyPair implements AsyncDisposable {
  readonly directory: string;
  readonly server: RunningServerProxy;
  #client: ClientProgram | undefined;
  readonly control: ServerProxyClient;
  /** As they were told to a watcher. */
  readonly events: PairEvent["what"][] = [];
  readonly #watching = new AbortController();

  private constructor(directory: string, server: RunningServerProxy) {
    this.directory = directory;
    this.server = server;
    this.control = connectServerProxy(server.socket);
  }

  static async start(options: PairOptions = {}): Promise<ProxyPair> {
    const { unwatchedSeconds = 60, environment, through, isConnected = true, isWatched = true } = options;
    const directory = mkdtempSync(join(tmpdir(), "berg-pair-"));
    const server = await launchServerProxy({ directory, name: "test", unwatchedSeconds, clock: systemClock });
    const pair = new ProxyPair(directory, server);
    // At once: one that nobody watches ends by itself.
    if (isWatched) pair.#watch().catch(() => {});
    try {
      pair.#client = await ClientProgram.start(server.certificate, environment);
      const { controlPort } = pair.client.introduction;
      if (isConnected) await pair.connect(through ? await through(controlPort) : controlPort);
      return pair;
    } catch (error) {
      await pair[Symbol.asyncDispose]();
      throw error;
    }
  }

  get client(): ClientProgram {
    if (!this.#client) throw new Error("not started yet");
    return this.#client;
  }

  async connect(controlPort: number): Promise<void> {
    const { managementAddress: address, certificate } = this.client.introduction;
    await this.control.connect({ address, controlPort, certificate });
  }

  unwatch(): void {
    this.#watching.abort();
  }

  /** A tunnel to this port. */
  async tunnel(tunnelId: number, serverPort: number, clientProxyPort = 0): Promise<number> {
    const request = { tunnelId, name: `tunnel-${tunnelId}`, serverAddress: "127.0.0.1", serverPort, clientProxyPort };
    return (await this.control.prepareTunnel(request)).clientProxyPort;
  }

  /** Nothing of it is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.unwatch();
    this.control[Symbol.dispose]();
    await stopServerProxy(this.server, systemClock);
    await this.#client?.[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true });
  }

  async #watch(): Promise<void> {
    for await (const { what } of this.control.watch(this.#watching.signal)) this.events.push(what);
  }
}
