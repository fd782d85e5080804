/** A mock of one server proxy, with its tunnels. */
import { isDeepStrictEqual } from "node:util";
import type { PairEvent, Tunnel } from "../../protocol/tunnel_pb.ts";
import { ServerProxyError } from "../../server-proxy/client.ts";
import type { RunningServerProxy } from "../../server-proxy/launch.ts";
import type { ServerControl, TunnelRequest } from "../lifecycle/programs.ts";

export class MockServer implements RunningServerProxy {
  readonly pid: number;
  readonly started = "boot/25";
  readonly startTime = "2026-01-01T00:00:00.250000Z";
  readonly certificate = "server";
  readonly socket: string;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly exited: RunningServerProxy["exited"];
  /** By id. */
  readonly tunnels = new Map<number, TunnelRequest & { port: number; isEnding: boolean }>();
  /** Ids that were ever asked for. */
  readonly prepared: number[] = [];
  /** For good, as in a real one. */
  readonly #deleted = new Set<number>();
  isAlive = true;
  watches = 0;
  /** Of each tunnel. */
  openStreams = 0;
  readonly #busyPorts: ReadonlySet<number>;
  readonly #call: (name: string, signal?: AbortSignal) => Promise<void>;
  readonly #exit = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
  readonly #watchers = new Set<(event: PairEvent["what"] | undefined) => void>();

  constructor(
    directory: string,
    pid: number,
    busyPorts: ReadonlySet<number>,
    call: (name: string, signal?: AbortSignal) => Promise<void>,
  ) {
    this.pid = pid;
    this.socket = `${directory}/server.sock`;
    this.stdoutFile = `${directory}/server.stdout`;
    this.stderrFile = `${directory}/server.stderr`;
    this.exited = this.#exit.promise;
    this.#busyPorts = busyPorts;
    this.#call = call;
  }

  get names(): string[] {
    return [...this.tunnels.values()].map(({ name }) => name).sort();
  }

  kill(signal: NodeJS.Signals): void {
    this.isAlive = false;
    this.#exit.resolve({ code: null, signal });
    for (const watcher of [...this.#watchers]) watcher(undefined);
  }

  say(event: PairEvent["what"]): void {
    for (const watcher of [...this.#watchers]) watcher(event);
  }

  /** The streams of those who watch break, and nothing else. */
  breakWatches(): void {
    for (const watcher of [...this.#watchers]) watcher(undefined);
  }

  control(): ServerControl {
    return {
      prepareTunnel: async (request, signal) => {
        await this.#call("prepareTunnel", signal);
        this.prepared.push(request.tunnelId);
        const { tunnelId, clientProxyPort } = request;
        if (this.#deleted.has(tunnelId)) throw new ServerProxyError(`id ${tunnelId} was deleted`, "AlreadyExists");
        const known = this.tunnels.get(tunnelId);
        if (known) {
          const { port: _, isEnding: __, ...before } = known;
          if (!isDeepStrictEqual(before, request)) throw new Error(`the tunnel ${tunnelId} is another`);
        }
        if (this.#busyPorts.has(clientProxyPort)) throw new Error(`the port ${clientProxyPort} is in use`);
        const port = known?.port ?? (clientProxyPort || 40_000 + tunnelId);
        this.tunnels.set(tunnelId, { ...request, port, isEnding: false });
        return this.#tunnel(tunnelId);
      },
      deleteTunnel: async (tunnelId, signal) => {
        await this.#call("deleteTunnel", signal);
        if (this.tunnels.delete(tunnelId)) this.#deleted.add(tunnelId);
      },
      listTunnels: async (signal) => {
        await this.#call("listTunnels", signal);
        return [...this.tunnels.keys()].map((id) => this.#tunnel(id));
      },
      connect: (_client, signal) => this.#call("connect", signal),
      watch: (signal) => this.#watch(signal),
      shutdown: async (signal) => {
        await this.#call("shutdown", signal);
        this.tunnels.clear();
      },
      [Symbol.dispose]() {},
    };
  }

  #tunnel(id: number): Tunnel {
    const { name, port, isEnding } = this.tunnels.get(id) as NonNullable<ReturnType<typeof this.tunnels.get>>;
    const { openStreams } = this;
    const entered = { clientProxyAddresses: ["10.89.1.2"], clientProxyPort: port };
    return { tunnelId: id, name, ...entered, openStreams, isEnding } as Tunnel;
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<PairEvent> {
    this.watches++;
    const waiting: (PairEvent["what"] | undefined)[] = [];
    let wake = () => {};
    const watcher = (event: PairEvent["what"] | undefined) => {
      waiting.push(event);
      wake();
    };
    this.#watchers.add(watcher);
    signal.addEventListener("abort", () => watcher(undefined));
    try {
      while (!signal.aborted) {
        while (waiting.length > 0) {
          const what = waiting.shift();
          if (!what) return;
          yield { what } as PairEvent;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}
